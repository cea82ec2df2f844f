#!/usr/bin/env bash
# `mountbench plan`: what it prints, that it touches nothing, and that a large matrix stays readable and quick.
set -u
. tests/support/scenario.sh
export LC_ALL=C.UTF-8
here=$PWD
cp -R matrix "$work/"
cd "$work" || exit 1

# An engine that would be noticed: nothing must be asked.
export DOCKER_HOST=unix://$work/nothing.sock

expect 0 '^Cells   42: 1 engine x 7 mounts x 6 workloads$' "$mountbench" plan
expect 0 '^Trials  252: 5 rounds after 1 to warm up$' "$mountbench" plan quick
expect 0 '^Trials  6: 2 rounds after 0 to warm up$' "$mountbench" plan -m 'bind*' -w commit --rounds 2 --warmup 0
expect 0 'default/volume/commit$' "$mountbench" plan matrix/quick.yaml
expect 0 'x/layer/commit$' "$mountbench" plan --engine x
expect 0 ' excluded$' "$mountbench" plan full

# The same seed, the same order; another, another.  Without one no order is promised.
"$mountbench" plan --seed 7 >one && "$mountbench" plan --seed 7 >two && cmp -s one two || fail 'the order is not of the seed alone'
"$mountbench" plan --seed 8 >two && ! cmp -s one two || fail 'the order is not of the seed'
expect 0 'from a seed that a run draws' "$mountbench" plan

"$mountbench" plan --seed 7 --format json >plan.json || fail 'no JSON'
python3 - <<'PYTHON' || fail 'the JSON is not as promised'
import json
plan = json.load(open("plan.json"))
assert len(plan["cells"]) == 42 and plan["trials"] == 252 and len(plan["mounts"]) == 7, plan
assert plan["cells"][0]["mount"] == "layer" and plan["cells"][0]["workload"] == "dd-1k"
assert sum(c["trials"] for c in plan["cells"]) == 252
assert len(plan["order"]) == 6 and all(sorted(o["cells"]) == list(range(42)) for o in plan["order"])
text = open("one").read()
first = [o for o in plan["order"] if not o["warmup"]][0]["cells"]
assert "round 1: " + " ".join(str(c + 1) for c in first[:20]) in text
PYTHON

# Bad input: place and way out, exit 2.
printf 'mounts: [layer, bnid]\nworkloads: [commit]\n' >bad.yaml
expect 2 "^mountbench: bad.yaml:1: mounts\[1\]: unknown kind 'bnid' \(did you mean 'bind'\?\)$" "$mountbench" plan bad.yaml
expect 2 "there is no matrix 'qick' \(did you mean 'quick'\?" "$mountbench" plan qick
expect 2 'missing.yaml: No such file' "$mountbench" plan missing.yaml
expect 2 "^mountbench: --mount: 'tmfs' matches no mount" "$mountbench" plan -m tmfs
expect 2 "a plan has no format 'jsn' \(did you mean 'json'\?\)" "$mountbench" plan --format jsn
expect 2 'at least one timed trial' "$mountbench" plan --rounds 0
mkfifo pipe.yaml
expect 2 'is not a regular file' timeout 10 "$mountbench" plan pipe.yaml

# What a command takes is not guessed at.
printf 'mounts: [layer]\nworkloads: [commit, {name: ls, type: exec, image: i, command: [ls]}]\nrounds: 3\nwarmup: 1\n' >command.yaml
expect 0 'what 4 trials of commands take, which is not known' "$mountbench" plan command.yaml
expect 0 '^Room    what commands write, which is not known' "$mountbench" plan command.yaml
expect 0 '^     2     unknown     unknown  exec          default/layer/ls$' "$mountbench" plan command.yaml
expect 0 '"type":"exec","disk_bytes":null,"trial_ns":null,"trials":4' "$mountbench" plan --format json command.yaml

# Names and descriptions that would play with the terminal do not get there.
printf 'description: "a\\e[31mb\\u202e"\nmounts: [layer]\nworkloads: [commit]\n' >sly.yaml
"$mountbench" plan sly.yaml | grep -q $'\033\|\u202e' && fail 'an escape comes out of a matrix'

# 10,000 cells: the summary first, the cells limited, the whole on demand.
bash "$here/tests/perf/big_matrix.sh" >big.yaml
start=$(date +%s%N)
"$mountbench" plan big.yaml >big.txt || fail 'no plan of 10,000 cells'
took=$((($(date +%s%N) - start) / 1000000))
echo "10,000 cells in $took ms"
# The promise is kept by `make perf`; a test machine may be busy, but not fifty times as slow.
[ "$took" -lt 10000 ] || fail "a plan of 10,000 cells took $took ms"
head -n 4 big.txt | grep -q '^Cells   10000: ' || fail 'the summary is not first'
[ "$(wc -l <big.txt)" -lt 100 ] || fail 'ten thousand cells are printed without --all'
expect 0 'and 9940 more; --all prints them' "$mountbench" plan big.yaml
[ "$("$mountbench" plan --all big.yaml | grep -c 'default/volume-')" = 10000 ] || fail '--all does not print all cells'

# Nothing was touched.
rm -f ./*.yaml ./*.json one two big.txt
[ "$(ls)" = matrix ] || fail "plan left something: $(ls)"
