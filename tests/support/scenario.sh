# scenario.sh: what the scenario scripts share.  Source it; it makes $work, which goes away with the script.
mountbench=$(cd "${MB_BUILD:-build}" && pwd)/mountbench
work=$(mktemp -d "${TMPDIR:-/var/tmp}/mountbench-scenario.XXXXXX")
engine_pid=''

scenario_end() {
    local status=$?
    trap '' INT TERM
    if [ -n "$engine_pid" ]; then
        kill "$engine_pid" 2>/dev/null
        wait "$engine_pid" 2>/dev/null
    fi
    awk -v d="$work/" 'index($5, d) == 1 {print $5}' /proc/self/mountinfo 2>/dev/null | sort -r |
        while read -r mounted; do umount -l "$mounted" 2>/dev/null; done
    rm -rf "$work"
    exit "$status"
}
trap scenario_end EXIT
trap 'exit 130' INT TERM

fail() { echo "$*" >&2; exit 1; }
skip() { echo "$*"; exit 77; }

# expect STATUS PATTERN COMMAND...: the command ends with this status, and what it says matches the extended regular expression.
expect() {
    local status=$1 pattern=$2 got said
    shift 2
    said=$("$@" 2>&1 </dev/null) && got=0 || got=$?
    [ "$got" = "$status" ] || fail "$* ended with $got and not $status: $said"
    grep -qE -- "$pattern" <<<"$said" || fail "$* does not say /$pattern/ but: $said"
}

# start_dockerd [OPTIONS], start_podman: a private engine; DOCKER_HOST points to it and $engine_pid is its process.
start_dockerd() {
    [ "$(id -u)" = 0 ] || skip 'a private dockerd needs root'
    command -v dockerd >/dev/null || skip 'dockerd is not installed'
    export DOCKER_HOST=unix://$work/docker.sock
    unset DOCKER_CONTEXT
    dockerd --data-root "$work/docker" --exec-root "$work/exec" --pidfile "$work/pid" -H "$DOCKER_HOST" \
        --bridge=none --iptables=false "$@" >"$work/engine.log" 2>&1 &
    engine_pid=$!
    wait_for_engine
}

start_podman() {
    [ "$(id -u)" = 0 ] || skip 'this scenario runs podman as root'
    command -v podman >/dev/null || skip 'podman is not installed'
    export DOCKER_HOST=unix://$work/podman.sock
    unset DOCKER_CONTEXT
    TMPDIR=$work podman --root "$work/containers" --runroot "$work/run" --tmpdir "$work/libpod" system service --time=0 "$DOCKER_HOST" \
        >"$work/engine.log" 2>&1 &
    engine_pid=$!
    wait_for_engine
}

wait_for_engine() {
    for _ in $(seq 300); do
        "$mountbench" clean --dry-run --quiet --dir "$work" >/dev/null 2>&1 && return
        kill -0 "$engine_pid" 2>/dev/null || break
        sleep 0.2
    done
    tail -n 20 "$work/engine.log" >&2
    fail 'the private engine does not answer'
}

# nothing_left: no container, volume or image of ours on the engine, no directory of ours here.
nothing_left() {
    expect 0 '^nothing to remove$' "$mountbench" clean --all --dir .
}
