#!/usr/bin/env bash
# Sync mounts with a real unison (and a real mutagen, where one can be had) on a real dockerd and a real podman: what is measured, what a
# tool that is missing, does not fit, dies or conflicts leads to, and that nothing is left, whatever happened.
#   ENGINES=dockerd SCENARIOS='measured conflict' tests/scripts/sync.sh        some of it alone
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/scenario.sh

command -v unison >/dev/null || skip 'unison is not installed'
mkdir "$work/t" "$work/dir" "$work/bin" "$work/engine-t"
export TMPDIR=$work/t HOME=$work/home
here=$PWD

# matrix SYNC ROUNDS [MORE]: a volume beside a sync mount.
matrix() {
    cat >"$work/m.yaml" <<END
name: sync
mounts: [volume, {name: sync, type: sync, sync: $1}]
workloads:
  - {name: write, type: seq-write, block: 64KiB, total: 1MiB, source: random${3-}}
rounds: $2
warmup: 0
END
}

run() { "$mountbench" run "$work/m.yaml" --output "$work/out.jsonl" --dir "$work/dir" "$@"; }

# all_gone: no process, no file, nothing on the engine.
all_gone() {
    local i
    for i in $(seq 50); do
        [ -n "$(pgrep -f "$work/(t|dir)/")" ] || break
        sleep 0.2
    done
    [ -z "$(pgrep -f "$work/(t|dir)/")" ] || fail "$1: processes are left: $(pgrep -af "$work/(t|dir)/")"
    [ -z "$(ls -A "$TMPDIR")" ] || fail "$1: files are left: $(ls -AR "$TMPDIR")"
    [ -z "$(ls -A "$work/dir")" ] || fail "$1: the host's directories are left: $(ls -A "$work/dir")"
    [ ! -e "$HOME/.unison" ] && [ ! -e "$HOME/.mutagen" ] || fail "$1: the tool wrote into the home directory"
    (cd "$work/dir" && nothing_left)
    rm -f "$work/out.jsonl"
}

# samples CELL STATUS: how many of its samples have that status.
samples() { grep '"type":"sample"' "$work/out.jsonl" | grep -F "/$1/" | grep -c "\"status\":\"$2\""; }

# in_background: a run that goes on; $pid.  until_at_work: until its sync mount was proved and is measured.
in_background() {
    "$mountbench" run "$work/m.yaml" --output "$work/out.jsonl" --dir "$work/dir" >"$work/said" 2>&1 </dev/null &
    pid=$!
}
until_at_work() {
    local i
    for i in $(seq 300); do
        ls "$work"/dir/*/*/.mountbench-reply >/dev/null 2>&1 && [ "$(samples sync ok 2>/dev/null)" -gt 0 ] && return
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    fail "the sync mount does not come to work: $(cat "$work/said")"
}

# ends STATUS: how the run in the background ended.
ends() {
    wait "$pid"
    local status=$?
    [ "$status" = "$1" ] || fail "the run ended with $status and not $1: $(cat "$work/said")"
}

# Both sides, one as the other, and how long that takes.
measured() {
    matrix '{tool: unison}' 3 ', host_visible: 60s}
  - {name: stale, type: propagation, changes: 1'
    expect 0 'write +sync +3 .* 0 +0 *$' run
    expect 0 'stale +sync .* 0 +0 *$' "$mountbench" report "$work/out.jsonl"
    [ "$(samples sync ok)" = 6 ] || fail "not six samples: $(cat "$work/out.jsonl")"
    all_gone 'measured'
}

# Once more with a container for each trial, small files, and an image that is built where the engine has none.
isolated() {
    mkdir -p "$work/build"
    echo 'FROM mountbench-unison' >"$work/build/Dockerfile"
    cat >"$work/m.yaml" <<END
name: isolated
mounts: [{name: sync, type: sync, isolation: trial, sync: {tool: unison, prefer: newer, image: no-such-image, build: "$work/build"}}]
workloads: [{name: files, type: small-files, files: 50}]
rounds: 2
warmup: 0
END
    expect 0 'samples are in' run
    [ "$(samples sync ok)" = 2 ] || fail "not two samples: $(cat "$work/out.jsonl")"
    all_gone 'isolated'
}

killed_tool() {
    matrix '{tool: unison}' 40
    in_background
    until_at_work
    kill -KILL "$(pgrep -f "^unison $work/dir/")"
    ends 1
    grep -q 'unison was ended by signal 9' "$work/said" || fail "no reason: $(cat "$work/said")"
    [ "$(samples volume ok)" = 40 ] || fail 'the rest did not go on'
    [ "$(samples sync failed)" -ge 1 ] || fail 'the cell did not fail'
    all_gone 'killed tool'
}

# Changes that nobody carries any more are not waited for one by one.
killed_tool_of_changes() {
    local begun
    cat >"$work/m.yaml" <<END
name: changes
mounts: [bind, {name: sync, type: sync, sync: {tool: unison}}]
workloads: [{type: propagation, changes: 30, limit: 5s}]
rounds: 1
warmup: 0
END
    in_background
    for _ in $(seq 300); do
        ls "$work"/dir/*/m*/*-w0/t* >/dev/null 2>&1 && break
        sleep 0.1
    done
    sleep 3
    begun=$SECONDS
    kill -KILL "$(pgrep -f "^unison $work/dir/")"
    ends 1
    [ $((SECONDS - begun)) -le 30 ] || fail "it went on for $((SECONDS - begun)) s after its tool was gone"
    [ "$(samples sync failed)" = 1 ] || fail "not one failed trial: $(cat "$work/out.jsonl")"
    grep -q '"status":"failed","reason":"unison was ended by signal 9' "$work/out.jsonl" || fail "no reason: $(cat "$work/said")"
    all_gone 'killed tool of changes'
}

killed_sidecar() {
    matrix '{tool: unison}' 40
    in_background
    until_at_work
    docker kill "$(docker ps -q --filter name=-sync)" >/dev/null
    ends 1
    grep -q 'unison ended with status 3; it said last: .*Lost connection' "$work/said" || fail "no reason: $(cat "$work/said")"
    all_gone 'killed container'
}

# differ: the same files come up on both sides with different contents.
differ() {
    local host volume i
    host=$(ls -d "$work"/dir/*/m*)
    volume=$(docker inspect --format '{{range .Mounts}}{{.Source}}{{end}}' "$(docker ps -q --filter name=-sync)")
    for i in 1 2 3; do
        echo here >"$host/both$i" && echo there >"$volume/both$i" || fail 'the two sides cannot be written'
    done
}

conflict() {
    matrix '{tool: unison}' 40
    in_background
    until_at_work
    differ
    ends 1
    grep -q 'unison reports a conflict: both[123] (.*changed on both sides)' "$work/said" || fail "no conflict: $(cat "$work/said")"
    [ "$(samples volume ok)" = 40 ] || fail 'the rest did not go on'
    all_gone 'conflict'
}

interrupted() {
    matrix '{tool: unison}' 40
    in_background
    until_at_work
    kill -INT "$pid"
    ends 130
    all_gone 'interrupted'

    # While it waits for the first synchronisation.
    printf '#!/bin/sh\n[ "$1" = -version ] && exec %s -version\nexec sleep 100\n' "$(command -v unison)" >"$work/bin/unison"
    chmod +x "$work/bin/unison"
    PATH=$work/bin:$PATH in_background
    for _ in $(seq 100); do
        pgrep -f 'sleep 100' >/dev/null && ls -d "$TMPDIR"/mountbench-sync-* >/dev/null 2>&1 && break
        sleep 0.1
    done
    kill -INT "$pid"
    ends 130
    all_gone 'interrupted at first'
}

# A driver that is killed leaves no tool behind, and what is on the engine is found by its label.
killed_driver() {
    matrix '{tool: unison}' 40
    in_background
    until_at_work
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    for _ in $(seq 50); do
        [ -n "$(pgrep -f "^unison $work/dir/")$(ls -A "$TMPDIR")" ] || break
        sleep 0.2
    done
    "$mountbench" clean --dir "$work/dir" --quiet >/dev/null || fail 'clean failed'
    all_gone 'killed driver'
}

# Every tool that does not come to work: the mount says why, and the volume is measured.
refused() {
    matrix '{tool: unison}' 1
    mkdir -p "$work/empty"
    expect 0 "unison is not installed: there is no 'unison' in PATH; install it: apt-get install unison" env PATH="$work/empty" "$mountbench" \
        run "$work/m.yaml" --output "$work/out.jsonl" --dir "$work/dir"
    [ "$(samples volume ok)" = 1 ] || fail 'the rest did not go on'
    all_gone 'missing'

    printf '#!/bin/sh\n[ "$1" = -version ] && { echo "unison version 2.48.4 (ocaml 4.08.1)"; exit; }\nexit 9\n' >"$work/bin/unison"
    chmod +x "$work/bin/unison"
    expect 0 'unison is 2\.48\.4, ocaml 4\.08\.1 here and 2\.[0-9.]+.* in the image: they do not understand each other' env \
        PATH="$work/bin:$PATH" "$mountbench" run "$work/m.yaml" --output "$work/out.jsonl" --dir "$work/dir"
    all_gone 'version'

    printf '#!/bin/sh\n[ "$1" = -version ] && exec %s -version\necho "Fatal error: no archive today"\nexit 3\n' "$(command -v unison)" \
        >"$work/bin/unison"
    expect 1 'unison ended with status 3; it said last: Fatal error: no archive today' env PATH="$work/bin:$PATH" "$mountbench" run \
        "$work/m.yaml" --output "$work/out.jsonl" --dir "$work/dir"
    [ "$(samples volume ok)" = 1 ] || fail 'the rest did not go on'
    all_gone 'exits'

    printf '#!/bin/sh\n[ "$1" = -version ] && exec %s -version\nexec sleep 100\n' "$(command -v unison)" >"$work/bin/unison"
    matrix '{tool: unison, ready_timeout: 2s}' 1
    expect 1 'the first synchronisation is not through after 2 s: nothing came from the host to the volume' env PATH="$work/bin:$PATH" \
        "$mountbench" run "$work/m.yaml" --output "$work/out.jsonl" --dir "$work/dir"
    all_gone 'hangs'

    matrix '{tool: unison, image: no-such-image}' 1
    expect 0 "the engine has no image 'no-such-image': pull it, or say 'pull: missing'" run
    all_gone 'no image'
    matrix '{tool: unison, image: without-unison}' 1
    expect 0 "the image .* has no unison that runs" run
    all_gone 'image without'
    matrix '{tool: unison, arguments: [-nonsense]}' 1
    expect 1 "unison ended with status [0-9]+; it said last: .*nonsense" run
    all_gone 'arguments'
}

# Any command: one that goes on, one that leaves something in the background, and one that fails.
command_tool() {
    cat >"$work/bin/carry" <<'END'
#!/bin/sh
# Both ways, file by file, over `docker exec` and tar.
while :; do
    tar -C "$MOUNTBENCH_HOST_DIR" -cf - . | docker exec -i "$MOUNTBENCH_CONTAINER" tar -C "$MOUNTBENCH_CONTAINER_DIR" -xf - 2>/dev/null
    docker exec "$MOUNTBENCH_CONTAINER" tar -C "$MOUNTBENCH_CONTAINER_DIR" -cf - . | tar -C "$MOUNTBENCH_HOST_DIR" -xf - 2>/dev/null
    sleep 0.3
done
END
    printf '#!/bin/sh\n"%s/bin/carry" >/dev/null 2>&1 &\necho $! >"$MOUNTBENCH_STATE_DIR/pid"\n' "$work" >"$work/bin/leave"
    printf '#!/bin/sh\nkill "$(cat "$MOUNTBENCH_STATE_DIR/pid")"\n' >"$work/bin/end"
    printf '#!/bin/sh\ntest -d "$MOUNTBENCH_HOST_DIR" && test -n "$DOCKER_HOST" && test -n "$MOUNTBENCH_VOLUME" && echo flushed >>"%s/flushed"\n' \
        "$work" >"$work/bin/flush"
    chmod +x "$work/bin"/*
    matrix "{tool: command, image: mountbench-unison, start: [\"$work/bin/carry\"], flush: [\"$work/bin/flush\"]}" 2
    expect 0 'samples are in' run
    [ "$(samples sync ok)" = 2 ] || fail 'not two samples'
    [ "$(wc -l <"$work/flushed")" -ge 2 ] || fail 'flush was not run after each trial'
    all_gone 'command'

    matrix "{tool: command, image: mountbench-unison, start: [setsid, \"$work/bin/leave\"], stop: [\"$work/bin/end\"]}" 2
    expect 0 'samples are in' run
    all_gone 'command in the background'

    matrix "{tool: command, image: mountbench-unison, start: [sh, -c, '\"$work/bin/carry\" &']}" 2
    expect 0 'samples are in' run
    all_gone 'command in the background of its group'

    matrix '{tool: command, start: [sh, -c, "echo cannot >&2; exit 4"]}' 1
    expect 1 'the sync command ended with status 4; it said last: cannot' run
    all_gone 'command that fails'
    matrix '{tool: command, start: [no-such-program]}' 1
    expect 0 "there is no 'no-such-program' in PATH" run
    all_gone 'no command'
}

mutagen_tool() {
    local peer
    peer=$(HOME=$home XDG_CACHE_HOME=${XDG_CACHE_HOME-} "$here/tests/support/mutagen-peer") || { echo "SKIP $(tail -n 1 <<<"$peer")"; return; }
    matrix '{tool: mutagen, image: mountbench-unison}' 3 ', host_visible: 60s'
    PATH=$peer:$PATH expect 0 'sync +3 .* 0 +0 *$' run
    all_gone 'mutagen'
    [ "$engine" = dockerd ] || return 0

    matrix '{tool: mutagen, image: mountbench-unison}' 300
    PATH=$peer:$PATH in_background
    until_at_work
    differ
    ends 1
    grep -q 'mutagen reports a conflict: both[123]' "$work/said" || fail "no conflict: $(cat "$work/said")"
    [ "$(samples volume ok)" = 300 ] || fail 'the rest did not go on'
    all_gone 'mutagen conflict'

    PATH=$peer:$PATH in_background
    until_at_work
    kill -KILL "$(pgrep -f '^mutagen daemon run')"
    ends 1
    grep -q 'mutagen was ended by signal 9' "$work/said" || fail "no reason: $(cat "$work/said")"
    all_gone 'mutagen killed'
}

# On the engine at DOCKER_HOST.
scenarios() {
    tests/support/sync-image | docker import - mountbench-unison >/dev/null || fail 'no image'
    printf 'x' >"$work/x" && tar -C "$work" -cf - x | docker import - without-unison >/dev/null || fail 'no second image'
    local all='measured isolated killed_tool conflict interrupted mutagen_tool' scenario
    # What has little to do with the engine.
    [ "$engine" != dockerd ] || all="$all killed_tool_of_changes killed_sidecar killed_driver refused command_tool"
    for scenario in ${SCENARIOS-$all}; do "$scenario"; done
}

home=$(eval echo ~)
command -v docker >/dev/null || skip 'the docker command line is not installed'
for engine in ${ENGINES:-dockerd podman}; do
    TMPDIR=$work/engine-t "start_$engine"
    scenarios
    kill "$engine_pid" && wait "$engine_pid"
    engine_pid=''
    # podman's keepers of programs that ran in containers wait for a while after these are gone.
    pgrep -f "conmon.*$work/" | xargs -r kill -KILL 2>/dev/null
done
exit 0
