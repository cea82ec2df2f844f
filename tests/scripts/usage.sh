#!/usr/bin/env bash
# What a person gets for a wrong command line, and for asking for help: exit status and words.
set -u
. tests/support/scenario.sh

expect 0 '^mountbench [0-9]+\.[0-9]+\.[0-9]+$' "$mountbench" --version
expect 2 'Usage: mountbench COMMAND' "$mountbench"
expect 0 'Usage: mountbench COMMAND' "$mountbench" --help
expect 0 'Usage: mountbench COMMAND' "$mountbench" help
expect 2 "unknown command 'rnu' \(did you mean 'run'\?\)" "$mountbench" rnu
expect 2 "unknown command 'xyzzy'" "$mountbench" xyzzy
expect 2 "did you mean '--rounds'\?" "$mountbench" run --ronuds 3
expect 2 '--rounds: at least one timed trial' "$mountbench" run --rounds 0
expect 2 "is one too many" "$mountbench" run quick full
expect 2 "nonexistent" "$mountbench" run nonexistent
expect 0 'seq-write' "$mountbench" run --help-workloads
expect 0 'Does not show' "$mountbench" run --help-workloads

commands=$("$mountbench" help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 2 ] || fail "the list of commands is short: $commands"
for command in $commands; do
    expect 0 "^mountbench $command: " "$mountbench" help "$command"
    expect 0 "^Usage: mountbench $command " "$mountbench" "$command" --help
    expect 2 "unknown option '--nonsense'" "$mountbench" "$command" --nonsense
done

# Nothing is printed in colour where nobody sees it, and a full disk is not a success.
"$mountbench" help | grep -q $'\033' && fail 'help prints escapes into a pipe'
if [ -e /dev/full ]; then
    "$mountbench" help >/dev/full 2>"$work/said" && fail 'writing to a full disk is taken for a success'
    grep -q 'cannot write to standard output' "$work/said" || fail "it says: $(cat "$work/said")"
fi
exit 0
