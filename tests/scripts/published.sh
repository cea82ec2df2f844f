#!/usr/bin/env bash
# `mountbench published`: list, tables, and an article's table beside a run that was measured at a smaller scale on a real engine.
set -u
. tests/support/scenario.sh

expect 0 '^rancher-desktop-settings +7 +not given' "$mountbench" published
expect 0 '^nfs-2018 +7 +2018-03-29' "$mountbench" published
for name in rancher-desktop-settings docker-desktop-4.6 disk-image-format nfs-2018; do
    expect 0 '^Printed figures: [0-9]+, of which' "$mountbench" published "$name"
    "$mountbench" published "$name" --width 200 | diff -u "tests/golden/published/$name.txt" - || fail "$name: the table has changed"
    longest=$("$mountbench" published "$name" --width 80 | awk 'length > n {n = length} END {print n}')
    [ "$longest" -le 80 ] || fail "$name: a line of $longest columns on a screen of 80"
done
expect 0 '^\| vz / virtiofs +\| +0\.48 \| +1096\.65 \|$' "$mountbench" published rancher-desktop-settings --format markdown
expect 2 "'html' is none of terminal, markdown" "$mountbench" published nfs-2018 --format html
expect 2 "did you mean 'nfs-2018'" "$mountbench" published nfs-2081
expect 2 'wants the table' "$mountbench" published --with x.jsonl
expect 2 'no/such.jsonl' "$mountbench" published nfs-2018 --with no/such.jsonl
expect 2 'is no factor of at most one, written as 1/64' "$mountbench" run quick --scale 64

expect 0 'sizes scaled by 1/64' "$mountbench" plan quick --scale 1/64

start_dockerd
mkdir "$work/share"
cat >"$work/m.yaml" <<END
name: small
engines: [{name: lab-virtiofs, endpoint: "$DOCKER_HOST"}]
mounts: [host, bind]
workloads:
  - {name: write, type: seq-write, block: 100MiB, total: 500MiB, files: 5, source: alnum}
rounds: 2
warmup: 0
END
expect 0 'small: sizes are scaled by 1/64' "$mountbench" run "$work/m.yaml" --scale 1/64 --dir "$work/share" -o "$work/small.jsonl" --quiet
grep -q '"scale":"1/64"' "$work/small.jsonl" || fail 'the run record does not say the scale'
[ "$(grep -c '"bytes":8192000' "$work/small.jsonl")" = 4 ] || fail "samples are not of 8192000 bytes: $(cat "$work/small.jsonl")"
expect 2 'was made with --scale 1/64; resume with the same sizes' "$mountbench" run "$work/m.yaml" --resume "$work/small.jsonl"

"$mountbench" published rancher-desktop-settings --with "$work/small.jsonl" --width 200 >"$work/said" || fail 'no comparison'
said() { grep -qE -- "$1" "$work/said" || fail "no /$1/ in: $(cat "$work/said")"; }
said '^Summary: Write speed \(MB/s\), published and measured, as ratios to Local$'
said '^Local +4321\.94 +1 +[0-9.]+ +1 +lab-virtiofs/host$'
said '^vz / virtiofs +1096\.65 +0\.254 +[0-9.]+ +[0-9.]+ +lab-virtiofs/bind$'
said 'Measured with sizes scaled by 1/64'
said 'Measured with block 1\.56 MiB, the article with 100 MiB \(a factor of 64\)'
said 'Measured with total 7\.81 MiB, the article with 500 MiB \(a factor of 64\)'
said 'QEMU / 9p 128kb: the file has no such cell'
said "vz / reverse-sshfs: VZ is Apple's Virtualization framework"
said 'On a Mac that has the runtimes: mountbench run matrix/published/rancher-desktop-settings.yaml'
nothing_left
