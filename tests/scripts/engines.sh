#!/usr/bin/env bash
# `mountbench engines`: the engines that answer, the reasons of those that do not, for people and for programs.
set -u
. tests/support/scenario.sh

unset DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_TLS_VERIFY COLIMA_HOME LIMA_HOME XDG_CONFIG_HOME
export HOME=$work/home XDG_RUNTIME_DIR=$work/runtime LC_ALL=C COLUMNS=200
mkdir -p "$HOME/.docker/contexts/meta/a" "$HOME/.rd" "$HOME/.colima/work" "$XDG_RUNTIME_DIR"
echo '{"Name":"build box","Endpoints":{"docker":{"Host":"tcp://127.0.0.1:1"}}}' >"$HOME/.docker/contexts/meta/a/meta.json"
touch "$HOME/.rd/docker.sock" "$HOME/.colima/work/docker.sock"

# rdctl is installed, colima is not; Docker Desktop has been started before.
mkdir -p "$work/bin" "$HOME/.docker/desktop"
ln -s /bin/true "$work/bin/rdctl"
ln -s /bin/true "$work/bin/docker"

# Nothing answers here but, perhaps, an engine of the machine's own.
list=$(PATH=$work/bin "$mountbench" engines) && status=0 || status=$?
[ "$status" = 3 ] || [ -S /var/run/docker.sock ] || [ -S /run/podman/podman.sock ] || fail "nothing answers, and the status is $status"
for pattern in '^  build box +tcp://127.0.0.1:1: cannot connect' '^[* ] rancher-desktop +.*/.rd/docker.sock: this is a file, not a socket' \
    '^  colima-work +.*/.colima/work/docker.sock: ' "^  docker-desktop +.*no such socket.*'docker desktop start'"; do
    grep -qE -- "$pattern" <<<"$list" || fail "the list does not say /$pattern/: $list"
done

# What is not installed is a name in one line, unless it was asked for.
grep -qE '^Not installed, as far as can be seen: .*podman' <<<"$list" || fail "the list does not say what is not installed: $list"
! grep -qE '^  podman +/' <<<"$list" || fail "what is not installed has a reason of its own: $list"
rm "$HOME/.rd/docker.sock" "$work/bin/rdctl"
expect "$status" "^[* ] rancher-desktop +.*there is no 'rdctl' in PATH\): install it" env PATH="$work/bin" "$mountbench" engines --engine rancher-desktop
touch "$HOME/.rd/docker.sock"

expect 2 "is none of terminal, json" "$mountbench" engines --format xml
expect 2 "unknown engine 'rancher-dekstop' \(did you mean 'rancher-desktop'" "$mountbench" engines --engine rancher-dekstop
expect 2 "takes no operands" "$mountbench" engines all

start_dockerd
expect 0 '^\* default +Docker Engine +[0-9.]+[^ ]* +1\.[0-9]+ +[a-z0-9]+ +[0-9]+ +[0-9.]+ [GM]iB +direct +unix://' "$mountbench" engines
expect 0 ' \(the same as default\)$' "$mountbench" engines --engine "$work/../$(basename "$work")/docker.sock"
json=$("$mountbench" engines --format json) || fail "engines --format json ended with $?"
for pattern in '"name":"default"' '"default":true' '"available":true' '"runtime":"docker-engine"' '"shares":"direct"' \
    '"available":false,"reason":"tcp://127.0.0.1:1: cannot connect' '"installed":true'; do
    tr -d '\n\t' <<<"$json" | grep -qF -- "$pattern" || fail "the JSON does not have $pattern: $json"
done
