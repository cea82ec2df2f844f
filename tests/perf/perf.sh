#!/usr/bin/env bash
# make perf: the figures that the project promises, each pair measured in turns in one run on one mount.
# A figure is printed with what was promised; nothing here fails for being slow, since the machine may be shared.
#   tests/perf/perf.sh BUILD [engine|probe|driver|report ...]        ROUNDS=15
set -eu
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- engine probe driver report
cd "$(dirname "$0")/../.."
mountbench=$build/mountbench
measure=$build/tests/perf/measure
rounds=${ROUNDS:-15}
work=$(mktemp -d /var/tmp/mountbench-perf.XXXXXX)
container=''

finish() {
    [ -z "$container" ] || docker rm -f "$container" >/dev/null 2>&1 || true
    docker rmi -f mountbench-perf:1 >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

title() { printf '\n%s\n' "$1"; }
figure() { printf '  %-58s %14s   promised %s\n' "$1" "$2" "$3"; }
median() { sort -g | awk '{x[NR]=$1} END {if (NR == 0) print "nan"; else if (NR % 2) print x[(NR+1)/2]; else print (x[NR/2]+x[NR/2+1])/2}'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }

# An image with the probe and the system's dd and fio, and the libraries these two need.
make_image() {
    local root=$work/image program
    mkdir -p "$root/m"
    cp build/mountbench-probe-"$(dpkg --print-architecture)" "$root/probe"
    for program in $(command -v dd) $(command -v rm) $(command -v fio || true); do
        mkdir -p "$root/bin"
        cp "$program" "$root/bin/"
        ldd "$program" | grep -oE '/[^ ]+' | while read -r library; do
            mkdir -p "$root$(dirname "$library")"
            cp -L "$library" "$root$library"
        done
    done
    tar -C "$root" -c . | docker import -c 'ENTRYPOINT ["/probe"]' - mountbench-perf:1 >/dev/null
}

start_container() {
    mkdir -p "$work/bind"
    # A probe that waits for requests on a pipe nobody writes to keeps the container up.
    container=$(docker run -d -i --network none -v "$work/bind:/m" mountbench-perf:1)
}

now_ms() { date +%s%N | awk '{printf "%.3f", $1 / 1e6}'; }
timed_ms() {
    local a b
    a=$(now_ms)
    "$@" >/dev/null
    b=$(now_ms)
    awk -v a="$a" -v b="$b" 'BEGIN {printf "%.3f\n", b - a}'
}

tiny_matrix() {
    cat >"$1" <<EOF
name: overhead
engines: [default]
mounts: [{name: bind, type: bind$2}]
workloads: [{name: tiny, type: seq-write, block: 1KiB, total: 1KiB}]
rounds: $3
warmup: 2
EOF
}

perf_engine() {
    local warm fresh
    title 'A trial, beside its own work (a bind, one block of 1 KiB)'
    tiny_matrix "$work/warm.yaml" '' 200
    tiny_matrix "$work/fresh.yaml" ', isolation: trial' "$rounds"
    warm=$("$build/tests/perf/overhead" "$work/warm.yaml" "$work/warm.jsonl")
    : >"$work/exec"
    : >"$work/run"
    : >"$work/fresh"
    for _ in $(seq "$rounds"); do
        timed_ms docker exec "$container" /probe --version >>"$work/exec"
        timed_ms docker run --rm --network none -v "$work/bind:/m" mountbench-perf:1 --version >>"$work/run"
    done
    fresh=$("$build/tests/perf/overhead" "$work/fresh.yaml" "$work/fresh.jsonl")
    local exec_ms run_ms
    exec_ms=$(median <"$work/exec")
    run_ms=$(median <"$work/run")
    figure 'warm trial, overhead' "$(awk -v x="$warm" 'BEGIN {printf "%.2f ms", x / 1000}')" '<= 2 ms'
    figure 'docker exec of the probe, over a warm trial' "$(awk -v a="$exec_ms" -v b="$warm" 'BEGIN {printf "%.0f x", a * 1000 / b}')" '>= 30 x'
    figure 'docker run --rm of the probe, over a warm trial' "$(awk -v a="$run_ms" -v b="$warm" 'BEGIN {printf "%.0f x", a * 1000 / b}')" '>= 150 x'
    figure 'trial in a fresh container, of docker run --rm' "$(awk -v a="$fresh" -v b="$run_ms" 'BEGIN {printf "%.2f (%.0f / %.0f ms)", a / 1000 / b, a / 1000, b}')" '< 1'
}

# probe_asks REQUESTS: what a probe of its own in the container answers.
probe_asks() { docker exec -i "$container" /probe <<<"$1"; }

# probe_wall_ns PARAMETERS: the work's time of one run, in a directory that was prepared with the same parameters.
probe_wall_ns() {
    probe_asks "run id=2 dir=/m/p seed=1 timeout_ms=60000 $1" | tr ',{' '\n\n' | sed -n 's/^"wall_ns":\([0-9]*\)}*$/\1/p'
}

dd_speed() {
    docker exec "$container" /bin/dd if=/dev/zero of=/m/d bs="$1" count="$2" 2>&1 |
        sed -n 's/.*copied, \([0-9.e-]*\) s.*/\1/p' | awk -v t="$(($1 * $2))" '{print t / $1 / 1e6}' >>"$work/theirs"
    docker exec "$container" /bin/rm -f /m/d
}

fio_rate() {
    docker exec "$container" /bin/fio --name=x --filename="$4" --ioengine=psync --rw="$1" --bs=4k --size="$2" --io_size=$(($3 * 4096)) \
        --randrepeat=1 --norandommap --random_generator=tausworthe64 --fallocate=none --end_fsync=0 --invalidate=0 --output-format=json |
        sed -n 's/^ *"iops" : \([0-9.]*\),*/\1/p' | sort -g | tail -n 1 >>"$work/theirs"
}

# in_turns THEIRS OURS: both once a round, the other one first each time, what is dirty written out in between.
in_turns() {
    local round first=$1 second=$2 swap
    : >"$work/theirs"
    : >"$work/ours"
    for round in $(seq 0 "$rounds"); do
        sync
        $first
        sync
        $second
        swap=$first first=$second second=$swap
        # The first round lays out files and fills caches.
        [ "$round" -gt 0 ] || { : >"$work/theirs"; : >"$work/ours"; }
    done
}

# compared WHAT UNIT PROMISE
compared() {
    local a b
    a=$(median <"$work/ours")
    b=$(median <"$work/theirs")
    figure "$1" "$(ratio "$a" "$b") ($(printf '%.0f / %.0f' "$a" "$b") $2)" "$3"
}

against_dd() {
    local job="workload=seq-write block=$1 total=$(($1 * $2))"
    probe_asks "prepare id=1 dir=/m/p seed=1 timeout_ms=60000 $job" >/dev/null
    in_turns "dd_speed $1 $2" "probe_speed_mb $(($1 * $2)) $job"
    probe_asks 'cleanup dir=/m/p timeout_ms=10000' >/dev/null
    compared "seq-write against GNU dd, $1 x $2" MB/s '>= 1.0'
}

probe_speed_mb() {
    local total=$1
    shift
    probe_wall_ns "$*" | awk -v t="$total" '{print t * 1000 / $1}' >>"$work/ours"
}

probe_rate() {
    local ops=$1
    shift
    probe_wall_ns "$*" | awk -v n="$ops" '{print n * 1e9 / $1}' >>"$work/ours"
}

against_fio() {
    command -v fio >/dev/null || { echo '  fio is not installed: not compared'; return; }
    # fio counts in whole milliseconds: enough operations that one of them is nothing.
    local span=$((64 * 1024 * 1024)) ops=200000
    local job="workload=$1 block=4096 span=$span count=$ops"
    probe_asks "prepare id=1 dir=/m/p seed=1 timeout_ms=60000 $job" >/dev/null
    # Both on the same file: how the page cache holds one that somebody else laid out can double the speed.
    local file
    file=$(find "$work/bind/p" -type f -size +1M | head -n 1)
    in_turns "fio_rate $2 $span $ops /m/${file#"$work/bind/"}" "probe_rate $ops $job"
    probe_asks 'cleanup dir=/m/p timeout_ms=10000' >/dev/null
    compared "$1 4 KiB against fio psync" /s '>= 0.95'
}

perf_probe() {
    title 'The probe against the tools people know (same container, same bind, in turns)'
    against_dd 1024 102400
    against_dd 262144 4096
    against_fio rand-read randread
    against_fio rand-write randwrite
}

perf_driver() {
    local got arch
    title 'The driver'
    got=$("$measure" 51 "$mountbench" --version)
    figure 'mountbench --version' "${got% *} ms" '< 10 ms'
    tests/perf/big_matrix.sh >"$work/big.yaml"
    got=$("$measure" 11 "$mountbench" plan "$work/big.yaml")
    figure 'plan of 10,000 cells' "${got% *} ms" '< 200 ms'
    for arch in amd64 arm64; do
        figure "probe for $arch" "$(($(stat -c %s "build/mountbench-probe-$arch") / 1024)) KiB" '<= 200 KiB'
    done
}

perf_report() {
    local got half format median ratio mean
    title 'Reports of 100,000 samples'
    tests/perf/samples.sh 50000 >"$work/half.jsonl"
    tests/perf/samples.sh 100000 >"$work/full.jsonl"
    for format in terminal markdown csv json asciidoc svg png html benchstat hyperfine \
        github-action-bigger github-action-smaller; do
        "$mountbench" report --format "$format" -o "$work/out" "$work/full.jsonl" || { echo "  report --format $format failed: not measured"; continue; }
        half=$("$measure" 3 "$mountbench" report --format "$format" -o "$work/out" "$work/half.jsonl")
        got=$("$measure" 3 "$mountbench" report --format "$format" -o "$work/out" "$work/full.jsonl")
        figure "report --format $format" "${got% *} ms, $((${got#* } / 1024)) MiB" "$(promise "$format")"
        figure '  of it for half as many samples' "$(ratio "${half% *}" "${got% *}")" '>= 0.5'
        [ "$format" != html ] || figure '  size of the page' "$(($(stat -c %s "$work/out") / 1024)) KiB" '< 15360 KiB'
    done
    [ ! -e "$work/out" ] || rm -f "$work/out"
    for format in terminal markdown csv json; do
        got=$("$measure" 3 "$mountbench" compare --mounts m0,m1 --format "$format" -o "$work/out" "$work/full.jsonl")
        figure "compare --format $format" "${got% *} ms, $((${got#* } / 1024)) MiB" '< 2000 ms, 128 MiB'
    done
    title 'Intervals of 200 cells of 50 trials, 10,000 resamples'
    read -r median ratio mean <<<"$("$build/tests/perf/bootstrap")"
    figure 'medians' "$median s" '< 3 s'
    figure 'ratios of medians' "$ratio s" '< 3 s'
    figure 'means' "$mean s" '< 3 s'
}

promise() {
    case $1 in
    terminal | markdown | csv | json) echo '< 1000 ms, 64 MiB' ;;
    html) echo '< 5000 ms' ;;
    *) echo '< 2000 ms, 128 MiB' ;;
    esac
}

for part; do
    case $part in
    engine | probe)
        [ -n "$container" ] || { make_image; start_container; }
        ;;
    esac
    "perf_$part"
done
