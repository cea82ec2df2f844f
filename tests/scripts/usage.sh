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
expect 2 "unknown format 'htlm' \(did you mean 'html'\?\)" "$mountbench" run --format htlm -o "$work/no.jsonl"
expect 2 "no mount is called 'bond' \(did you mean 'bind'\?\)" "$mountbench" run --baseline bond -o "$work/no.jsonl"
expect 2 'not on standard output' "$mountbench" run -o -
expect 2 'exclude each other' "$mountbench" run -o "$work/no.jsonl" --resume "$work/yes.jsonl"
[ ! -e "$work/no.jsonl" ] || fail 'a typing error shows after the run'
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

# The manual page and the completion know every command and option that there is.
"$mountbench" help --man >"$work/man" || fail 'there is no manual page'
"$mountbench" help --completion >"$work/completion" || fail 'there is no completion'
complete_words() {
    bash -c '. "$1"; shift; COMP_WORDS=(mountbench "$@"); COMP_CWORD=$#; _mountbench; echo "${COMPREPLY[@]}"' - "$work/completion" "$@"
}
for command in $commands; do
    grep -q "^\.SS \"mountbench $command \[OPTIONS\]" "$work/man" || fail "the manual page lacks $command"
    [ "$(complete_words "$command")" = "$command" ] || fail "$command is not completed"
    for option in $("$mountbench" help "$command" | sed -n '/^Options:/,$s/^  .. *\(--[a-z-]*\).*/\1/p'); do
        [[ " $(complete_words "$command" "$option") " == *" $option "* ]] || fail "$command: $option is not completed"
        [ "$option" = --help ] || grep -qF -e "fB${option//-/\\-}\\fR" "$work/man" || fail "the manual page lacks $option"
    done
done

# What was measured is enough for its file to stay; a run that fails before leaves none in the way of the next attempt.
printf '%s\n' 'name: large' 'mounts: [host]' 'workloads: [{name: w, type: seq-write, block: 1MiB, total: 1TiB}]' >"$work/large.yaml"
expect 2 'need 1 TiB' "$mountbench" run "$work/large.yaml" --dir "$work" -o "$work/no.jsonl"
[ ! -e "$work/no.jsonl" ] || fail 'a run that measured nothing left its file'

# Runs of one second have a file each, and a short name leaves its column's title whole.
printf '%s\n' 'name: mine' 'mounts: [host]' 'workloads: [{name: w, type: seq-write, block: 4KiB, total: 4KiB}]' 'rounds: 1' \
    'warmup: 0' >"$work/mine.yaml"
(
    cd "$work"
    for _ in 1 2 3 4; do expect 0 '^mount ' "$mountbench" run mine.yaml; done
    [ "$(find results -name 'mine-*.jsonl' | wc -l)" = 4 ] || fail 'runs overwrite each other'
) || exit 1

# Nothing is printed in colour where nobody sees it, and a full disk is not a success.
"$mountbench" help | grep -q $'\033' && fail 'help prints escapes into a pipe'
if [ -e /dev/full ]; then
    "$mountbench" help >/dev/full 2>"$work/said" && fail 'writing to a full disk is taken for a success'
    grep -q 'cannot write to standard output' "$work/said" || fail "it says: $(cat "$work/said")"
fi
exit 0
