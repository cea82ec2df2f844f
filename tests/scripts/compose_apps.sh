#!/usr/bin/env bash
# compose/symfony and compose/mariadb by themselves: built by a real Compose on an image of Debian's packages, run on a bind
# mount, each run's figure printed; and a mount that refuses chown is named as the reason why a database does not start.
set -u
. tests/support/scenario.sh

command -v docker-compose >/dev/null || skip 'docker-compose is not installed'
command -v debootstrap >/dev/null || skip 'debootstrap is not installed'
start_dockerd
compose/base mountbench-debian >"$work/said" 2>&1 || skip "no image from Debian's packages: $(tail -n 1 "$work/said")"

# The private engine has no bridge: build and run in the host's network.
cat >"$work/host.yaml" <<'END'
services:
  app:
    network_mode: host
    build:
      context: .
      network: host
END
export BASE=mountbench-debian PORT=18089 REQUESTS=30 STATEMENTS=50

# compose APPLICATION ARGUMENTS...
compose() {
    local application=$1
    shift
    mkdir -p "$work/$application"
    WORK=$work/$application docker-compose -f "compose/$application/compose.yaml" -f "$work/host.yaml" "$@" >"$work/said" 2>"$work/err"
}

# three_runs APPLICATION UNIT: `bench` prints three figures above zero, each on its own.
three_runs() {
    compose "$1" run --rm app bench || fail "$1: bench fails: $(tail -n 5 "$work/err")"
    local run
    for run in 1 2 3; do
        grep -qE "^run $run: [1-9][0-9]*\.[0-9]+ $2"$'\r?$' "$work/said" || fail "$1: no run $run in: $(cat "$work/said")"
    done
    [ "$(grep -c '^run ' "$work/said")" = 3 ] || fail "$1: not three runs: $(cat "$work/said")"
}

compose symfony build || fail "symfony: $(tail -n 5 "$work/said" "$work/err")"
three_runs symfony requests/s
[ -e "$work/symfony/vendor/Symfony/Component/HttpKernel/Kernel.php" ] || fail 'the libraries are not on the mount'
find "$work/symfony/var/cache/dev" -name '*.php' | grep -q . || fail 'the cache is not on the mount'

# A template on the host that cannot be compiled is a wrong answer, and no figure.
echo '{% nonsense %}' >"$work/symfony/templates/list.html.twig"
compose symfony run --rm app bench && fail 'wrong answers are taken for requests'
grep -q 'run 1 had wrong answers' "$work/err" "$work/said" || fail "symfony: $(cat "$work/said" "$work/err")"

compose mariadb build || fail "mariadb: $(tail -n 5 "$work/said" "$work/err")"
three_runs mariadb statements/s
[ -e "$work/mariadb/data/ibdata1" ] || fail 'the data directory is not on the mount'

printf 'services: {app: {cap_drop: [CHOWN]}}\n' >"$work/nochown.yaml"
WORK=$work/mariadb docker-compose -f compose/mariadb/compose.yaml -f "$work/host.yaml" -f "$work/nochown.yaml" run --rm app bench >"$work/said" 2>&1 &&
    fail 'the database starts without chown'
grep -q "chown: changing ownership of .*: Operation not permitted" "$work/said" || fail "no chown message: $(cat "$work/said")"
grep -q 'does not let root give the data directory' "$work/said" || fail "no reason: $(cat "$work/said")"
exit 0
