#!/usr/bin/env bash
# Images out of a registry, and a network for those commands that ask for one: a real registry on a loopback port and a real bridge.
set -u
. tests/support/scenario.sh

command -v docker-registry >/dev/null || skip 'docker-registry is not installed'
[ -x /bin/busybox ] || skip 'busybox-static is not installed'
[ "$(id -u)" = 0 ] || skip 'private engines need root'

# A bridge of its own for dockerd, which is otherwise started without one; no firewall, so it leads to this machine and no further.
bridge=mbt$BASHPID gateway=10.213.$((BASHPID % 250)).1
registry_pid=''
others_end() {
    local status=$?
    trap '' INT TERM
    [ -z "$registry_pid" ] || kill "$registry_pid"
    ip link delete "$bridge" 2>/dev/null
    (exit "$status")
    scenario_end
}
trap others_end EXIT

port=$((20000 + BASHPID % 10000))
cat >"$work/registry.yml" <<END
version: 0.1
storage: {filesystem: {rootdirectory: $work/registry}}
http: {addr: 0.0.0.0:$port}
END
start_registry() {
    docker-registry serve "$work/registry.yml" >"$work/registry.log" 2>&1 &
    registry_pid=$!
    for _ in $(seq 100); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        kill -0 $registry_pid 2>/dev/null || break
        sleep 0.1
    done
    fail "the registry does not answer: $(tail -n 5 "$work/registry.log")"
}
start_registry

# An image with some megabytes that do not shrink, so that its layer takes more than a moment.
tag=127.0.0.1:$port/tools:1
mkdir -p "$work/image/bin" "$work/image/tmp"
cp /bin/busybox "$work/image/bin/"
for tool in sh ls wc cat wget; do ln -s busybox "$work/image/bin/$tool"; done
head -c 20000000 /dev/urandom >"$work/image/filler"

cat >"$work/m.yaml" <<END
engines: [{name: e, endpoint: "\${DOCKER_HOST}"}]
mounts: [layer]
workloads:
  - {name: pulled, type: exec, image: "$tag", pull: missing, command: [wc, -c, /filler], metrics: [{name: bytes, pattern: "^([0-9]+)"}]}
  - {name: again, type: exec, image: "$tag", pull: missing, command: [ls, /filler]}
rounds: 1
warmup: 0
END

# What a person at a terminal sees.
run_watched() { script -qec "'$mountbench' run '$work/m.yaml' --dir '$work' -o '$1'" /dev/null </dev/null >"$work/said" 2>&1; }

# pull NAME: from the registry when the engine has no such image, and not again.
pull() {
    run_watched "$work/$1.jsonl" || fail "$1: the run fails: $(cat "$work/said")"
    [ "$(grep -c '"status":"ok"' "$work/$1.jsonl")" = 2 ] || fail "$1: $(cat "$work/$1.jsonl")"
    grep -q '"bytes":20000000' "$work/$1.jsonl" || fail "$1: the command did not see the image's file: $(cat "$work/$1.jsonl")"
    grep -qa "pulling the image '$tag'" "$work/said" || fail "$1: no progress is shown: $(cat "$work/said")"
    local before
    before=$(grep -c 'GET /v2/tools/manifests' "$work/registry.log")
    run_watched "$work/$1-2.jsonl" || fail "$1: the second run fails: $(cat "$work/said")"
    [ "$(grep -c 'GET /v2/tools/manifests' "$work/registry.log")" = "$before" ] || fail "$1: what is there is pulled again"
    sed 's/pull: missing/pull: true/' "$work/m.yaml" >"$work/always.yaml"
    expect 0 '' "$mountbench" run "$work/always.yaml" --dir "$work" -o "$work/$1-3.jsonl" --quiet
    [ "$(grep -c 'GET /v2/tools/manifests\|HEAD /v2/tools/manifests' "$work/registry.log")" -gt "$before" ] || fail "$1: 'pull: true' asks nobody"
}

# What has been pulled is the user's: `clean` leaves it.
ip link add "$bridge" type bridge 2>/dev/null || skip 'this kernel has no bridges'
ip address add "$gateway/24" dev "$bridge"
ip link set "$bridge" up
start_dockerd --bridge="$bridge" --ip-forward=false --userland-proxy=false
tar -C "$work/image" -c . | docker import - "$tag" >/dev/null
docker push "$tag" >"$work/push" 2>&1 || fail "push: $(cat "$work/push")"
docker rmi -f "$tag" >/dev/null
pull docker
nothing_left
docker image inspect "$tag" >/dev/null 2>&1 || fail 'the pulled image is gone'

# A network where it is asked for, and only there: to this machine's registry, over the bridge.
cat >"$work/network.yaml" <<END
engines: [{name: e, endpoint: "$DOCKER_HOST"}]
mounts: [layer, bind]
x-exec: &exec {type: exec, image: "$tag", shell: true}
workloads:
  - {<<: *exec, name: without, command: "ls /sys/class/net | wc -l; wget -q -O - http://$gateway:$port/v2/ 2>&1 || echo none", metrics: [{name: devices, pattern: "^([0-9]+)$\$"}]}
  - {<<: *exec, name: with, network: true, command: "ls /sys/class/net | wc -l; wget -q -O - http://$gateway:$port/v2/", metrics: [{name: devices, pattern: "^([0-9]+)$\$"}]}
rounds: 1
warmup: 0
END
expect 0 '' "$mountbench" run "$work/network.yaml" --dir "$work" -o "$work/network.jsonl" --quiet
[ "$(grep -c '/without".*"devices":1}' "$work/network.jsonl")" = 2 ] || fail "a network that nobody asked for: $(cat "$work/network.jsonl")"
[ "$(grep -c '/with".*"status":"ok".*"devices":2}' "$work/network.jsonl")" = 2 ] || fail "no network: $(cat "$work/network.jsonl")"
nothing_left

# The same by podman, which wants to be told that this registry speaks without TLS.
if command -v podman >/dev/null; then
    docker_pid=$engine_pid docker_host=$DOCKER_HOST
    printf '[[registry]]\nlocation = "127.0.0.1:%s"\ninsecure = true\n' "$port" >"$work/registries.conf"
    CONTAINERS_REGISTRIES_CONF=$work/registries.conf start_podman
    pull podman
    nothing_left
    kill "$engine_pid"
    wait "$engine_pid" 2>/dev/null
    engine_pid=$docker_pid
    export DOCKER_HOST=$docker_host
fi

# The registry is away: the cell says so, and what needs no pull goes on.
kill "$registry_pid"
wait "$registry_pid" 2>/dev/null
registry_pid=''
sed -i 's/^  - {name: again.*/  - {name: again, type: exec, image: "tools:here", command: [ls]}/' "$work/m.yaml"
docker tag "$tag" tools:here
docker rmi "$tag" >/dev/null
expect 1 "cannot pull the image '$tag': .*connection refused" "$mountbench" run "$work/m.yaml" --dir "$work" -o "$work/away.jsonl"
grep -q '"cell":"e/layer/again".*"status":"ok"' "$work/away.jsonl" || fail "the rest stops: $(cat "$work/away.jsonl")"
nothing_left
exit 0
