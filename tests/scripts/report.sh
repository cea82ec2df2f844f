#!/usr/bin/env bash
# `mountbench report`: files and pipes, whole files or none, many inputs, locale and terminal manners, wrong use.
set -u
. tests/support/scenario.sh
unset COLUMNS NO_COLOR
quick=$PWD/tests/golden/report/quick.jsonl
two=$PWD/tests/golden/report/two-engines.jsonl
one=$PWD/tests/golden/report/one.jsonl
cd "$work" || exit 1

# Characters follow the locale; there is no colour where there is no terminal.
LC_ALL=C.UTF-8 "$mountbench" report "$quick" >unicode.txt || fail 'report failed'
LC_ALL=C "$mountbench" report "$quick" >ascii.txt || fail 'report failed in the C locale'
grep -q '█' unicode.txt || fail 'no bars of blocks in a UTF-8 locale'
! LC_ALL=C grep -q '[^ -~]' ascii.txt || fail 'more than ASCII in the C locale'
! grep -q $'\033' unicode.txt || fail 'colour in a file'
export LC_ALL=C.UTF-8

# A terminal gets colour, unless NO_COLOR or TERM say otherwise; its width is used.
cp "$quick" own.jsonl
expect 2 'is a result file that is read' "$mountbench" report -f csv -o own.jsonl own.jsonl
expect 2 'is a result file that is read' "$mountbench" compare -o ./own.jsonl "$quick" own.jsonl
cmp -s "$quick" own.jsonl || fail 'a report replaced its results'
if command -v script >/dev/null; then
    on_terminal() { TERM=xterm script -qec "stty cols $1; $2 '$mountbench' report '$quick'" /dev/null </dev/null; }
    on_terminal 100 '' >colour.txt
    grep -q $'\033\[32m' colour.txt || fail 'no colour on a terminal'
    ! on_terminal 100 'NO_COLOR=1' | grep -q $'\033' || fail 'colour in spite of NO_COLOR'
    widest() { on_terminal "$1" 'LC_ALL=C NO_COLOR=1' | tr -d '\r' | awk '{ if (length($0) > most) most = length($0) } END { print most }'; }
    [ "$(widest 90)" -le 90 ] || fail 'a terminal of 90 columns is not enough'
    [ "$(widest 200)" -gt 150 ] || fail 'a terminal of 200 columns is not used'
fi

# Standard input and standard output by "-"; the same file under another name.
"$mountbench" report - <"$quick" >piped.txt || fail 'report - failed'
diff <(sed 's/-: //' piped.txt) unicode.txt >diff.txt || fail "standard input gives another report: $(cat diff.txt)"
"$mountbench" report -o - "$quick" | cmp - unicode.txt || fail '--output - is not standard output'

# --output replaces a file at once, keeps its mode, and leaves it as it was when anything fails.
echo before >report.html
chmod 640 report.html
"$mountbench" report -f html -o report.html "$quick" || fail 'html failed'
grep -q '</html>' report.html || fail 'the page has no end'
[ "$(stat -c %a report.html)" = 640 ] || fail 'the mode of the replaced file is lost'
cp report.html whole.html
expect 2 'no mount is called' "$mountbench" report -f html -b nosuch -o report.html "$quick"
cmp report.html whole.html || fail 'a failed report changed its output'
expect 1 'No such file or directory' "$mountbench" report -o nowhere/report.txt "$quick"
expect 1 'is a directory' "$mountbench" report -o "$work" "$quick"
if [ -e /dev/full ]; then
    expect 1 'No space left' "$mountbench" report -o /dev/full "$quick"
    "$mountbench" report "$quick" >/dev/full 2>said.txt && fail 'a full standard output is not noticed'
    grep -q 'standard output' said.txt || fail 'a full standard output is not named'
fi
[ -z "$(find . -name 'report.html.*' -o -name 'report.txt*')" ] || fail 'temporary files are left'

# Many files are one report; an engine's name that two runs have is told apart by the file.
cp "$quick" again.jsonl
"$mountbench" report "$quick" again.jsonl "$two" >many.txt || fail 'many files failed'
for heading in 'default (quick.jsonl): ' 'default (again.jsonl): ' 'docker-desktop: ' 'rancher-desktop: '; do
    grep -qF "$heading" many.txt || fail "'$heading' is not in a report of many files"
done
for format in $("$mountbench" report -f nosuch "$one" 2>&1 | sed 's/.*there are: //; s/,//g'); do
    [ "$format" = png ] || "$mountbench" report -f "$format" "$quick" again.jsonl "$two" "$one" >all.out || fail "many files as $format"
    "$mountbench" help report | grep -q "^  $format " || fail "$format is not in the help"
done

# Wrong use.
: >empty.jsonl
expect 2 'empty.jsonl' "$mountbench" report empty.jsonl
expect 2 'unknown format .markdwon. \(did you mean .markdown.\?\)' "$mountbench" report -f markdwon "$quick"
expect 2 'nosuch.jsonl' "$mountbench" report nosuch.jsonl
expect 2 'wants FILE' "$mountbench" report
if command -v script >/dev/null; then
    TERM=xterm script -qec "'$mountbench' report -f png '$quick'" /dev/null </dev/null | grep -q 'not made for a terminal' ||
        fail 'pixels are sent to a terminal'
fi

# PNG needs a program that may not be there: the message says which, and what to do.
if command -v rsvg-convert >/dev/null; then
    "$mountbench" report -f png -o plot.png "$quick" || fail 'png failed'
    [ "$(head -c 8 plot.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail 'what is written is no PNG'
fi
expect 1 "png needs the program 'rsvg-convert': install librsvg2-bin" env PATH=/nonexistent "$mountbench" report -f png -o none.png "$quick"
[ ! -e none.png ] || fail 'a failed picture leaves a file'
