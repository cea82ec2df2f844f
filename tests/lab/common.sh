# shellcheck shell=bash
# What the lab's scripts share: where things are, what a machine's settings are, the few requests to its engine.

sftp_server=/usr/lib/openssh/sftp-server
nfs_mount_port=20048

# settings_of STATE KEY: the values of KEY, one a line.
settings_of() { [ ! -e "$1/settings" ] || sed -n "s/^$2 //p" "$1/settings"; }

# nfs_export NUMBER: the name under which the machine finds the folder of that number.
nfs_export() { [ "$1" = 0 ] && echo /share || echo "/share$1"; }

# The virtiofsd in Rust where there is one, else QEMU's own of earlier years; both take QEMU's options.
virtiofsd_path() {
    local path
    for path in /usr/libexec/virtiofsd /usr/lib/qemu/virtiofsd; do
        [ ! -x "$path" ] || { echo "$path"; return; }
    done
    return 1
}

# --- The machine's engine -------------------------------------------------------------------------------------------

lab_image=mountbench-lab

# engine STATE METHOD PATH [CURL-OPTIONS]: one request; the answer's body, or what the engine said is wrong.
engine() {
    local state=$1 method=$2 path=$3
    shift 3
    curl -sS --fail-with-body --max-time 60 --unix-socket "$state/docker.sock" -X "$method" "http://engine$path" "$@"
}

engine_answers() {
    [ "$(curl -s --max-time 3 --unix-socket "$1/docker.sock" http://engine/_ping 2>/dev/null)" = OK ]
}

# json TEXT: TEXT as a JSON string; of control characters only the newline gets this far.
json() {
    local text=${1//\\/\\\\}
    text=${text//\"/\\\"}
    printf '"%s"' "${text//$'\n'/\\n}"
}

# engine_import_image STATE BUSYBOX: an image of a static busybox and its shell, nothing else.
engine_import_image() {
    local work status=0
    work=$(mktemp -d)
    mkdir "$work/bin"
    cp "$2" "$work/bin/busybox"
    ln -s busybox "$work/bin/sh"
    tar -C "$work" --owner=0 --group=0 -c bin |
        engine "$1" POST "/images/create?fromSrc=-&repo=$lab_image" -H 'Content-Type: application/x-tar' \
            --data-binary @- >"$work/answer" || status=1
    ! grep -q '"error"' "$work/answer" || status=1
    [ $status = 0 ] || cat "$work/answer" >&2
    rm -rf "$work"
    return $status
}

# engine_run STATE MOUNTS SCRIPT: run SCRIPT by busybox's shell in a container with MOUNTS (the body of a JSON array); its output.
engine_run() {
    local id status=0 answer
    answer=$(engine "$1" POST /containers/create -H 'Content-Type: application/json' -d "{
        \"Image\": \"$lab_image\", \"Tty\": true, \"Cmd\": [\"/bin/sh\", \"-c\", $(json "$3")],
        \"HostConfig\": {\"NetworkMode\": \"none\", \"Mounts\": [$2]}}") || { echo "$answer" >&2; return 1; }
    id=$(sed -E 's/.*"Id":"([0-9a-f]+)".*/\1/' <<<"$answer")
    answer=$(engine "$1" POST "/containers/$id/start" && engine "$1" POST "/containers/$id/wait") || status=1
    if [ $status = 0 ] && [[ $answer == *'"StatusCode":0'* ]]; then
        engine "$1" GET "/containers/$id/logs?stdout=1&stderr=1" | tr -d '\r'
    else
        { echo "$answer"; engine "$1" GET "/containers/$id/logs?stdout=1&stderr=1"; } >&2
        status=1
    fi
    engine "$1" DELETE "/containers/$id?force=1&v=1" >/dev/null || status=1
    return $status
}
