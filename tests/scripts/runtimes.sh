#!/usr/bin/env bash
# Matrices that start and stop runtimes: what a plan says of them, what a run says where they are not installed, and a whole run that
# sets each, measures, and puts back, with stand-ins for the runtimes' programs and a real engine behind them.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/scenario.sh

here=$PWD
mkdir "$work/state" "$work/empty"
export MB_STAND_IN=$work/state HOME=$work/state XDG_CONFIG_HOME=$work/none

for preset in desktop-vs-rancher rancher-settings; do
    # Nothing is installed: each is told how to get it, and nothing is written.
    expect 0 "rdctl' in PATH; get a current one at https://rancherdesktop.io" env PATH="$work/empty" "$mountbench" plan "$here/matrix/$preset.yaml"
    expect 3 'none of [0-9]+ engines answered' env PATH="$work/empty" "$mountbench" run "$here/matrix/$preset.yaml" --output "$work/none.jsonl"
    [ ! -e "$work/none.jsonl" ] || fail "$preset: a result file without a result"
done

# One found running, the other stopped.
standing=$here/tests/fixtures/provider/bin:$PATH
mkdir -p "$work/state/.docker/desktop"
printf '{ "UseGrpcfuse":true,\n "UseVirtualizationFrameworkVirtioFS" : false }' >"$work/state/.docker/desktop/settings-store.json"
cp "$work/state/.docker/desktop/settings-store.json" "$work/before"
touch "$work/state/running"
echo STARTED >"$work/state/vm"
expect 0 'vm_type: qemu would become vz' env PATH="$standing" "$mountbench" plan "$here/matrix/desktop-vs-rancher.yaml"
expect 0 'UseVirtualizationFrameworkVirtioFS: false would become true' env PATH="$standing" "$mountbench" plan "$here/matrix/desktop-vs-rancher.yaml"
cmp "$work/before" "$work/state/.docker/desktop/settings-store.json" || fail 'a plan has changed the settings'
! grep -qE 'start|stop|shutdown|set ' <(grep -v settings "$work/state/log") || fail "a plan has started something: $(cat "$work/state/log")"

# A whole run of Rancher Desktop's settings, twice over, on a real engine.
start_dockerd
cat >"$work/matrix.yaml" <<END
name: turns
engines:
  - {name: nine, runtime: rancher-desktop, endpoint: "$DOCKER_HOST", settings: {mount_type: 9p, 9p_msize_kib: 256}}
  - {name: virtio, runtime: rancher-desktop, endpoint: "$DOCKER_HOST", settings: {vm_type: vz, mount_type: virtiofs}}
mounts: [host, volume]
workloads: [{name: write, type: seq-write, block: 4KiB, total: 64KiB}]
rounds: 2
warmup: 0
passes: 2
END
: >"$work/state/log"
expect 0 'samples are in' env PATH="$standing" "$mountbench" run "$work/matrix.yaml" --output "$work/turns.jsonl" --dir "$work"
starts=$(grep -oE 'start .*type=(9p|virtiofs).*' "$work/state/log" | grep -oE '9p$|virtiofs$|msize-in-kib=[0-9]+$' | tr '\n' ' ')
[ "$starts" = 'msize-in-kib=256 virtiofs msize-in-kib=256 virtiofs ' ] || fail "not A B A B: $starts: $(cat "$work/state/log")"
[ "$(cat "$work/state/vm_type") $(cat "$work/state/mount_type") $(cat "$work/state/msize")" = 'qemu reverse-sshfs 128' ] ||
    fail 'the settings were not put back'
[ -e "$work/state/running" ] || fail 'it ran before, and does not now'
expect 0 'Seen mounted: host is [a-z0-9]+, volume is [a-z0-9]+\.' "$mountbench" report "$work/turns.jsonl" --format markdown
exit 0
