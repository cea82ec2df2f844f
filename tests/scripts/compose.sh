#!/usr/bin/env bash
# `mountbench compose`: real Compose programs, 1.29 and 2, take every mount's file and read from it what the mount asks for;
# and a container that 1.29 starts from it has the mount.
set -u
. tests/support/scenario.sh

cat >"$work/m.yaml" <<'END'
name: compose
engines: [default]
mounts:
  - layer
  - bind
  - {name: bind-cached, type: bind, consistency: cached}
  - {name: bind-odd, type: bind, path: "/var/tmp/a: \"b\" $$HOME"}
  - volume
  - {name: nfs, type: nfs, device: ":/Users/me/project", options: "addr=host.docker.internal,vers=3,nolock,actimeo=1"}
  - {name: tmpfs, type: tmpfs, size: 16MiB}
  - {name: path, type: path, path: /srv}
  - {name: unison, type: sync, sync: {tool: unison, prefer: newer}}
  - {name: mutagen, type: sync, sync: {tool: mutagen}}
  - {name: carried, type: sync, sync: {tool: command, start: [rsync-loop, --fast]}}
  - host
workloads:
  - {name: w, type: seq-write, total: 1MiB}
END
mounts='layer bind bind-cached bind-odd volume nfs tmpfs path unison mutagen carried'

# expect_config COMPOSE MOUNT PATTERN: what Compose reads from the mount's file.
expect_config() {
    local said
    # shellcheck disable=SC2086
    said=$($1 -f "$work/$2.yaml" config 2>&1) || fail "$1 refuses the file of $2: $said"
    ! grep -qi 'warn' <<<"$said" || fail "$1 warns of the file of $2: $said"
    grep -qE -- "$3" <<<"$said" || fail "$1 does not read /$3/ from the file of $2: $said"
}

read_all() {
    expect_config "$1" layer '(working_dir|image): '
    expect_config "$1" bind 'source: .*'"$(basename "$work")"
    expect_config "$1" bind-cached 'consistency: cached'
    expect_config "$1" bind-odd 'source: .*/var/tmp/a: (\\?"b\\?"|.*b.*) \$\$?HOME'
    expect_config "$1" volume 'driver: local'
    expect_config "$1" nfs 'o: addr=host.docker.internal,vers=3,nolock,actimeo=1'
    expect_config "$1" nfs 'device: .?:/Users/me/project'
    expect_config "$1" tmpfs 'size: .?16777216'
    expect_config "$1" path 'source: /srv'
    expect_config "$1" unison 'image: mountbench-unison'
    expect_config "$1" unison '127\.0\.0\.1'
    expect_config "$1" mutagen 'driver: local'
    expect_config "$1" carried 'driver: local'
}

for mount in $mounts; do
    "$mountbench" compose --matrix "$work/m.yaml" "$mount" -o "$work/$mount.yaml" || fail "no file for $mount"
done
expect 0 '/etc/nfs.conf   nfs.server.mount.require_resv_port = 0' "$mountbench" compose --matrix "$work/m.yaml" default/nfs/w
expect 2 "did you mean 'bind'" "$mountbench" compose --matrix "$work/m.yaml" bnid
expect 2 'no cell is called' "$mountbench" compose --matrix "$work/m.yaml" default/nfs/x
expect 2 'it has no container' "$mountbench" compose --matrix "$work/m.yaml" host
expect 1 'File exists' "$mountbench" compose --matrix "$work/m.yaml" bind -o "$work/bind.yaml"

missing=''
command -v docker-compose >/dev/null && read_all docker-compose || missing="docker-compose 1.29 is not installed"
two=$(tests/support/go-peer compose github.com/docker/compose/v2/cmd@v2.29.7) && read_all "$two" || missing="$missing; $(tail -n 1 <<<"$two")"

# What a container of such a file really has at /work.
command -v docker-compose >/dev/null || skip "$missing"
[ -x /bin/busybox ] || skip "busybox is not installed"
start_dockerd
mkdir -p "$work/root/bin"
cp /bin/busybox "$work/root/bin/sh"
tar -C "$work/root" -c . | docker import - compose-test:1 >/dev/null || fail 'no image'
export IMAGE=compose-test:1 COMPOSE_PROJECT_NAME=mbcompose
printf 'services: {app: {network_mode: none}}\n' >"$work/none.yaml"
echo "from the host" >"$work/here"
inside() { docker-compose --project-directory "$work" -f "$work/$1.yaml" -f "$work/none.yaml" run --rm app /bin/sh -c "$2" 2>"$work/said"; }
[ "$(inside bind-cached 'read -r line </work/here; echo "$line"')" = 'from the host' ] || fail "bind-cached: $(cat "$work/said")"
inside tmpfs 'while read -r line; do echo "$line"; done </proc/mounts' | grep -q '^tmpfs /work tmpfs.*size=16384k' || fail "tmpfs: $(cat "$work/said")"
inside volume 'echo kept >/work/f' || fail "volume: $(cat "$work/said")"
[ "$(inside volume 'read -r line </work/f; echo "$line"')" = kept ] || fail "volume: $(cat "$work/said")"
docker volume rm mbcompose_work >/dev/null || fail 'the volume has another name'
sed -i 's/host.docker.internal/127.0.0.1/' "$work/nfs.yaml"
inside nfs ':' && fail 'an NFS volume without a server mounts'
grep -qE 'error while mounting volume|failed to mount local volume' "$work/said" || fail "nfs: $(cat "$work/said")"

[ -z "$missing" ] || skip "$missing"
