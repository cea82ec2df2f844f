#!/usr/bin/env bash
# A result file with ${1:-100000} samples over 100 cells, the same at every call.
awk -v n="${1:-100000}" 'BEGIN {
    srand(1)
    print "{\"type\":\"run\",\"schema\":1,\"id\":\"perf\",\"started_at\":\"2026-01-01T00:00:00Z\",\"tool\":{\"name\":\"mountbench\",\"version\":\"0\"},\"matrix\":{\"name\":\"perf\",\"sha256\":\"0\"},\"seed\":1,\"rounds\":1000,\"warmup\":0,\"host\":{\"os\":\"Linux\"}}"
    print "{\"type\":\"engine\",\"engine\":\"default\",\"runtime\":\"docker-engine\"}"
    for (c = 0; c < 100; c++)
        printf "{\"type\":\"cell\",\"cell\":\"default/m%d/w%d\",\"engine\":\"default\",\"mount\":\"%s\",\"workload\":\"w%d\",\"kind\":\"seq-write\",\"measure\":\"bytes/s\",\"status\":\"ready\",\"filesystem\":{\"fstype\":\"ext4\",\"source\":\"/dev/vda\",\"device\":\"8:%d\",\"root\":\"/\"},\"params\":{\"block\":1024}}\n", int(c / 10), c % 10, "m" int(c / 10), c % 10, int(c / 10)
    for (i = 0; i < n; i++) {
        c = i % 100
        printf "{\"type\":\"sample\",\"cell\":\"default/m%d/w%d\",\"round\":%d,\"order\":%d,\"warmup\":false,\"status\":\"ok\",\"started_at\":\"2026-01-01T00:00:00.000Z\",\"wall_ns\":%d,\"user_ns\":1000,\"sys_ns\":2000,\"bytes\":104857600,\"ops\":102400,\"latency_ns\":{\"p50\":1,\"p95\":2,\"p99\":3,\"max\":4}}\n", int(c / 10), c % 10, int(i / 100), c, 1e8 * (1 + c / 20) * (0.9 + 0.2 * rand())
    }
    print "{\"type\":\"end\",\"status\":\"complete\",\"finished_at\":\"2026-01-01T01:00:00Z\"}"
}'
