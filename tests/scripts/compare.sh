#!/usr/bin/env bash
# `mountbench compare`: every format against its golden, every way to name the sides, exit statuses for CI, wrong use.
# UPDATE=1 writes the goldens anew; tests/golden/compare/make_results.py writes what they are made from.
set -u
. tests/support/scenario.sh
export LC_ALL=C.UTF-8
unset COLUMNS NO_COLOR
here=$PWD
cd tests/golden/compare || exit 1

golden() {
    local name=$1
    shift
    "$mountbench" compare "$@" >"$work/out" 2>"$work/said" || fail "compare $* ended with $?: $(cat "$work/said")"
    [ -z "${UPDATE-}" ] || cp "$work/out" "$name"
    diff -u "$name" "$work/out" || fail "compare $* does not print $name"
}

golden files.txt --width 80 before.jsonl after.jsonl
golden files-wide.txt --width 120 before.jsonl few.jsonl
golden files.md -f markdown before.jsonl after.jsonl
golden files.csv -f csv before.jsonl after.jsonl
golden files.json -f json before.jsonl after.jsonl few.jsonl
golden engines.txt --width 80 --engines docker,podman few.jsonl
golden mounts.txt --width 80 --mounts volume,bind,nfs before.jsonl
golden cells.md -f markdown --cells '*/bind/*' --cells '*/bind-cached/*' before.jsonl
LC_ALL=C golden ascii.txt --width 80 before.jsonl after.jsonl

grep -qiE '[^a-z](nan|inf)[^a-z]' files.json files.csv && fail 'there are figures that are no numbers'
for verdict in faster slower same missing; do
    grep -q "\"verdict\": \"$verdict\"" files.json || fail "no verdict is $verdict"
done
grep -l $'\033\|\u202e' ./*.txt ./*.md ./*.csv ./files.json && fail 'escapes or changes of direction come out of a file'

# For CI.
expect 4 'rows are slower by more than 5 %; the worst is bind/commit, by [34][0-9]\.[0-9] %' \
    "$mountbench" compare --fail-above 5% before.jsonl after.jsonl
expect 4 "bind/install has a figure in 'before.jsonl' and none in 'after.jsonl': B has no trial that succeeded|nfs/.* has a figure" \
    "$mountbench" compare --fail-above 60 before.jsonl after.jsonl
expect 2 'cannot be decided: docker/volume/write: block is 4096 in A, 65536 in B' \
    "$mountbench" compare --fail-above 5 before.jsonl few.jsonl
expect 0 'no difference' "$mountbench" compare --fail-above 0 before.jsonl before.jsonl
expect 0 'faster' "$mountbench" compare --fail-above 5 --engines docker,podman few.jsonl
expect 4 'slower' "$mountbench" compare --fail-above 5 --engines podman,docker few.jsonl

# Where it goes.
"$mountbench" compare before.jsonl after.jsonl -o "$work/report.txt" || fail 'writing to a file failed'
[ -s "$work/report.txt" ] || fail 'the file is empty'
cat before.jsonl | "$mountbench" compare - after.jsonl | grep -q '^A: standard input' || fail 'standard input is no side'

# Wrong use.
expect 2 "'compare' wants FILE" "$mountbench" compare
expect 2 'one file alone is no comparison' "$mountbench" compare before.jsonl
expect 2 'exclude each other' "$mountbench" compare --engines a,b --mounts c,d before.jsonl
expect 2 "names one; two are wanted" "$mountbench" compare --mounts bind before.jsonl
expect 2 "has an empty name" "$mountbench" compare --mounts bind, before.jsonl
expect 2 'given once' "$mountbench" compare --cells '*/bind/*' before.jsonl
expect 2 "no mount is called 'bidn' \(did you mean 'bind'\?\)" "$mountbench" compare --mounts volume,bidn before.jsonl
expect 2 "unknown format 'markdwon' \(did you mean 'markdown'\?\)" "$mountbench" compare -f markdwon before.jsonl after.jsonl
expect 2 'nowhere.jsonl: cannot open' "$mountbench" compare before.jsonl nowhere.jsonl
expect 2 '--fail-above' "$mountbench" compare --fail-above fast before.jsonl after.jsonl
cd "$here" || exit 1
