#!/usr/bin/env bash
# compose/symfony and compose/mariadb by themselves: built by a real Compose on an image of Debian's packages, run on a bind
# mount, each run's figure printed; and a mount that refuses chown is named as the reason why a database does not start.  Then the
# same as cells: the applications preset, and databases that do not start beside one that does.
set -u
. tests/support/scenario.sh

command -v docker-compose >/dev/null || skip 'docker-compose is not installed'
command -v debootstrap >/dev/null || skip 'debootstrap is not installed'
start_dockerd
compose/base mountbench-debian >"$work/said" 2>&1 || skip "no image from Debian's packages: $(tail -n 1 "$work/said")"

# The private engine has no bridge: build and run in the host's network.
cat >"$work/host.yaml" <<'END'
services:
  app:
    network_mode: host
    build:
      context: .
      network: host
END
export BASE=mountbench-debian PORT=18089 REQUESTS=30 STATEMENTS=50

# compose APPLICATION ARGUMENTS...
compose() {
    local application=$1
    shift
    mkdir -p "$work/$application"
    WORK=$work/$application docker-compose -f "compose/$application/compose.yaml" -f "$work/host.yaml" "$@" >"$work/said" 2>"$work/err"
}

# three_runs APPLICATION UNIT: `bench` prints three figures above zero, each on its own.
three_runs() {
    compose "$1" run --rm app bench || fail "$1: bench fails: $(tail -n 5 "$work/err")"
    local run
    for run in 1 2 3; do
        grep -qE "^run $run: [1-9][0-9]*\.[0-9]+ $2"$'\r?$' "$work/said" || fail "$1: no run $run in: $(cat "$work/said")"
    done
    [ "$(grep -c '^run ' "$work/said")" = 3 ] || fail "$1: not three runs: $(cat "$work/said")"
}

compose symfony build || fail "symfony: $(tail -n 5 "$work/said" "$work/err")"
three_runs symfony requests/s
[ -e "$work/symfony/vendor/Symfony/Component/HttpKernel/Kernel.php" ] || fail 'the libraries are not on the mount'
find "$work/symfony/var/cache/dev" -name '*.php' | grep -q . || fail 'the cache is not on the mount'

# A template on the host that cannot be compiled is a wrong answer, and no figure.
echo '{% nonsense %}' >"$work/symfony/templates/list.html.twig"
compose symfony run --rm app bench && fail 'wrong answers are taken for requests'
grep -q 'run 1 had wrong answers' "$work/err" "$work/said" || fail "symfony: $(cat "$work/said" "$work/err")"

compose mariadb build || fail "mariadb: $(tail -n 5 "$work/said" "$work/err")"
three_runs mariadb statements/s
[ -e "$work/mariadb/data/ibdata1" ] || fail 'the data directory is not on the mount'

printf 'services: {app: {cap_drop: [CHOWN]}}\n' >"$work/nochown.yaml"
WORK=$work/mariadb docker-compose -f compose/mariadb/compose.yaml -f "$work/host.yaml" -f "$work/nochown.yaml" run --rm app bench >"$work/said" 2>&1 &&
    fail 'the database starts without chown'
grep -q "chown: changing ownership of .*: Operation not permitted" "$work/said" || fail "no chown message: $(cat "$work/said")"
grep -q 'does not let root give the data directory' "$work/said" || fail "no reason: $(cat "$work/said")"

# What the Dockerfiles are built from unless something else is said.
docker tag mountbench-debian debian:bookworm-slim
REQUESTS=3 STATEMENTS=20 "$mountbench" run applications --engine "$DOCKER_HOST" --rounds 2 --dir "$work" -o "$work/apps.jsonl" \
    >"$work/said" 2>"$work/err" || fail "applications: ended with $?: $(cat "$work/said" "$work/err")"
# Of NFS this engine may have no client: all other cells are measured, with three figures and what is theirs to count.
python3 - "$work/apps.jsonl" <<'END' || fail "applications: $(grep -v '"type":"run"' "$work/apps.jsonl")"
import json, sys

records = [json.loads(line) for line in open(sys.argv[1])]
samples = [r for r in records if r["type"] == "sample" and "/nfs/" not in r["cell"]]
assert len(samples) == 2 * 2 * 3, len(samples)
for s in samples:
    assert s["status"] == "ok", s
    assert all(s["metrics"][run] > 0 for run in ("run1", "run2", "run3")), s
    assert s["ops"] == (9 if s["cell"].endswith("symfony") else 60), s
cells = {r["cell"].split("/", 1)[1]: r for r in records if r["type"] == "cell"}
assert len(cells) == 8, cells.keys()
assert cells["bind/symfony"]["measure"] == "ops/s", cells["bind/symfony"]
END
nothing_left

# Databases that never start: too little room for one, a user who may not chown for the other.  The rest goes on.
mkdir "$work/unprivileged"
printf 'FROM mountbench-mariadb\nUSER nobody\n' >"$work/unprivileged/Dockerfile"
cat >"$work/m.yaml" <<END
engines: [{name: e, endpoint: "$DOCKER_HOST"}]
mounts: [volume, {name: small, type: tmpfs, size: 8MiB}]
x-mariadb: &mariadb
  type: exec
  environment: {STATEMENTS: 5, RUNS: 1}
  setup: [mariadb-bench, start]
  command: [mariadb-bench, load]
  cleanup: [mariadb-bench, stop]
  metrics: [{name: statements, pattern: "^([0-9]+) statements in all\$\$"}]
  ops: statements
workloads:
  - {<<: *mariadb, name: mariadb, image: mountbench-mariadb}
  - {<<: *mariadb, name: unprivileged, build: "$work/unprivileged"}
exclude: [{mount: volume, workload: unprivileged}]
rounds: 2
warmup: 0
END
"$mountbench" run "$work/m.yaml" --dir "$work" -o "$work/none.jsonl" >"$work/said" 2>"$work/err" &&
    fail "databases that do not start are no failure: $(cat "$work/said" "$work/err")"
[ "$(grep -c '"cell":"e/volume/mariadb".*"status":"ok"' "$work/none.jsonl")" = 2 ] || fail "the rest: $(cat "$work/none.jsonl")"
grep -q '"cell":"e/small/mariadb".*setup: .*rror.*could not be made on this mount"' "$work/none.jsonl" ||
    fail "too little room: $(grep '"cell":"e/small' "$work/none.jsonl")"
grep -q '"cell":"e/small/unprivileged".*setup: .*chown: changing ownership of .*Operation not permitted; .*cannot start' "$work/none.jsonl" ||
    fail "no chown: $(grep '"cell":"e/small/unprivileged' "$work/none.jsonl")"
nothing_left
exit 0
