#!/usr/bin/env python3
"""Write before.jsonl, after.jsonl and few.jsonl: made-up runs that hold one row of every kind that a comparison knows."""
import json
import random

MIB = 1 << 20
HOSTILE = "b<i>d\u202e\x1b[31m|x"


def run(path, name, seed, factors, trials, kernel, block=4096, probe="aaaa"):
    rng = random.Random(seed)
    lines = []

    def add(**record):
        lines.append(json.dumps(record, separators=(",", ":"), ensure_ascii=False))

    add(type="run", schema=1, id=name, started_at="2026-12-01T00:00:00Z", tool={"name": "mountbench", "version": "0.1.0", "probe": probe},
        matrix={"name": "quick", "sha256": "0"}, seed=seed, rounds=trials, warmup=1,
        host={"os": "Linux", "kernel": "6.1.0", "arch": "amd64", "cpu": "example", "cpus": 2, "memory_bytes": 8 << 30})
    engines = ["docker"] if name != "few" else ["docker", "podman"]
    for engine in engines:
        add(type="engine", engine=engine, endpoint="unix:///run/example.sock", runtime=engine, engine_version="20.10", os="Debian", kernel=kernel,
            arch="amd64", cpus=2 if engine == "docker" else 4, memory_bytes=8 << 30, storage_driver="overlay2")
    workloads = [("write", "seq-write", "bytes/s", {"block": block, "total": 64 * MIB, "sync": "none", "data_seed": 1}),
                 ("commit", "commit", "ops/s", {"record": 4096, "count": 500, "data_seed": 1}),
                 ("install", "small-files", "s", {"files": 2000, "data_seed": 1})]
    cells = []
    for engine in engines:
        for mount, device in (("volume", "8:1"), ("bind", "0:50"), ("bind-cached", "0:50"), ("nfs", "0:60"), (HOSTILE, "0:70")):
            for workload, kind, measure, params in workloads:
                if mount in ("bind-cached", HOSTILE) and workload != "write":
                    continue
                cell = f"{engine}/{mount}/{workload}"
                gone = mount == "nfs" and (name == "after" or workload == "install")
                record = dict(type="cell", cell=cell, engine=engine, mount=mount, workload=workload, status="unavailable" if gone else "ready",
                              kind=kind, measure=measure, unit="file", params=dict(params))
                if gone:
                    record["reason"] = "no such device"
                else:
                    fstype = {"volume": "ext4", "nfs": "nfs4"}.get(mount, "virtiofs" if name != "after" else "9p")
                    record["filesystem"] = {"fstype": fstype, "source": "x", "options": "rw", "super_options": "rw", "device": device, "root": "/"}
                add(**record)
                if not gone:
                    cells.append((engine, mount, workload, kind, cell))
    for number in range(trials + 1):
        for order, (engine, mount, workload, kind, cell) in enumerate(rng.sample(cells, len(cells))):
            work = {"write": 0.25, "commit": 1.5, "install": 3.0}[workload] * {"volume": 1, "nfs": 3}.get(mount, 2)
            factor = factors.get((mount, workload), 1) * (1 if engine == "docker" else 1.3)
            wall = int(work / factor * rng.lognormvariate(0, 0.03) * 1e9)
            sample = dict(type="sample", cell=cell, round=max(0, number - 1), order=order, warmup=number == 0, status="ok",
                          started_at="2026-12-01T00:00:01Z", wall_ns=wall, user_ns=1000, sys_ns=2000)
            if workload == "write":
                sample.update(bytes=64 * MIB, ops=64 * MIB // block)
            if workload == "commit":
                sample.update(bytes=500 * 4096, ops=500)
            if (mount, workload, name) == ("bind", "install", "after"):
                sample = dict(type="sample", cell=cell, round=max(0, number - 1), order=order, warmup=number == 0, status="failed",
                              reason="no space left on device")
            add(**sample)
    add(type="end", status="complete", finished_at="2026-12-01T00:10:00Z")
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


run("before.jsonl", "before", 1, {}, 12, "6.1.0")
run("after.jsonl", "after", 2, {("bind", "write"): 1.8, ("bind", "commit"): 0.6, ("bind-cached", "write"): 1.8}, 12, "6.6.1", probe="bbbb")
run("few.jsonl", "few", 3, {("bind", "commit"): 0.6}, 4, "6.1.0", block=65536)
