#!/usr/bin/env bash
# `mountbench compare ENGINE ENGINE`: measures both, then says how they compare.  Here the two are one dockerd by two names.
set -u
. tests/support/scenario.sh
export LC_ALL=C.UTF-8

start_dockerd
export DOCKER_CONFIG=$work/config
for name in one two; do
    mkdir -p "$DOCKER_CONFIG/contexts/meta/$name"
    echo "{\"Name\":\"$name\",\"Endpoints\":{\"docker\":{\"Host\":\"$DOCKER_HOST\"}}}" >"$DOCKER_CONFIG/contexts/meta/$name/meta.json"
done
cat >"$work/tiny.yaml" <<'YAML'
name: tiny
engines: [default]
mounts: [layer, volume]
workloads:
  - {name: commit, type: commit, count: 20}
rounds: 4
warmup: 0
YAML
cd "$work" || exit 1

expect 2 "'four' is no file, and measured as an engine: none of 2 engines answered" "$mountbench" compare four five --matrix tiny.yaml
"$mountbench" compare one two --matrix tiny.yaml >out 2>said || fail "it ended with $?: $(cat said out)"
for pattern in '^A: one$' '^B: two$' '^layer/commit ' '^volume/commit ' '^B against A, 2 rows: '; do
    grep -qE -- "$pattern" out || fail "it does not say /$pattern/: $(cat out)"
done
[ "$(grep -c '"type":"sample"' results/compare-*.jsonl)" = 16 ] || fail 'the result file has not 16 samples'
# The same machine twice: no gate for a slowdown of nine tenths is hit.
expect 0 'one' "$mountbench" compare --engines one,two results/compare-*.jsonl --fail-above 90
expect 0 "B is unavailable .unknown engine 'three'" "$mountbench" compare one three --matrix tiny.yaml
nothing_left
