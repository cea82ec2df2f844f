#!/usr/bin/env bash
# The formats for other tools, read by those tools: benchstat, hyperfine's own export, an XML and a JSON parser, Markdown and AsciiDoc.
set -u
. tests/support/scenario.sh
export LC_ALL=C.UTF-8
golden=$PWD/tests/golden/report
checked=''

# benchstat comes from Go's module proxy, where there is a Go.
tools=${XDG_CACHE_HOME:-$HOME/.cache}/mountbench/tools
if ! PATH=$PATH:$tools command -v benchstat >/dev/null && command -v go >/dev/null; then
    GOBIN=$tools GOFLAGS=-mod=mod timeout 300 go install golang.org/x/perf/cmd/benchstat@latest >"$work/go.log" 2>&1 || true
fi
if PATH=$PATH:$tools command -v benchstat >/dev/null; then
    for input in quick hostile two-engines; do
        "$mountbench" report -f benchstat "$golden/$input.jsonl" >"$work/$input.bench" || fail "benchstat of $input"
        PATH=$PATH:$tools benchstat -row /workload -col /mount "$work/$input.bench" >"$work/$input.stat" 2>"$work/said" ||
            fail "benchstat refuses $input: $(cat "$work/said")"
        [ ! -s "$work/said" ] || fail "benchstat complains of $input: $(cat "$work/said")"
    done
    grep -q '^dd-256k ' "$work/quick.stat" || fail "benchstat lost the name dd-256k: $(cat "$work/quick.stat")"
    # It has the same medians: 423 MB/s are 403 MiB/s.
    grep -q '^dd-1k *403\.0Mi' "$work/quick.stat" || fail "benchstat has another median: $(cat "$work/quick.stat")"
    checked="$checked benchstat"
fi

# Every key that hyperfine exports, in the type that it has there.
if command -v hyperfine >/dev/null; then
    hyperfine --runs 2 --shell=none --export-json "$work/theirs.json" true >/dev/null 2>&1 ||
        hyperfine --runs 2 --export-json "$work/theirs.json" true >/dev/null 2>&1
    "$mountbench" report -f hyperfine "$golden/quick.jsonl" >"$work/ours.json"
    python3 - "$work/theirs.json" "$work/ours.json" <<'PYTHON' || fail 'what hyperfine exports looks otherwise'
import json, sys
theirs, ours = (json.load(open(name))["results"] for name in sys.argv[1:])
kinds = lambda result: {key: type(value) for key, value in result.items() if key != "memory_usage_byte"}
expected = kinds(theirs[0])
for result in ours:
    for key, kind in expected.items():
        if key not in ("parameters", "stddev") and not isinstance(result[key], (kind, float if kind is int else kind)):
            if not (kind is float and isinstance(result[key], int)):
                sys.exit(f"{key} is {result[key]!r}, and {kind} there")
PYTHON
    checked="$checked hyperfine"
fi

# github-action-benchmark: an array of objects with name, value and unit; range and extra are strings.
for format in github-action-bigger github-action-smaller; do
    "$mountbench" report -f $format "$golden/quick.jsonl" | python3 -c '
import json, sys
entries = json.load(sys.stdin)
assert len(entries) > 15 and len({e["name"] for e in entries}) == len(entries)
for e in entries:
    assert isinstance(e["name"], str) and isinstance(e["unit"], str) and isinstance(e["value"], (int, float)), e
    assert isinstance(e["range"], str) and isinstance(e["extra"], str) and set(e) == {"name", "unit", "value", "range", "extra"}, e
' || fail "$format is not as promised"
done

# Well-formed XML; JSON without NaN; CSV that a reader takes apart into the names that were put in.
for input in quick hostile two-engines one nothing; do
    "$mountbench" report -f svg "$golden/$input.jsonl" | python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin.buffer)' ||
        fail "the SVG of $input is not well-formed"
    for format in json hyperfine github-action-bigger github-action-smaller; do
        "$mountbench" report -f $format "$golden/$input.jsonl" | python3 -c '
import json, sys
def refuse(name): raise ValueError(name)
json.load(sys.stdin, parse_constant=refuse)' || fail "the JSON ($format) of $input"
    done
done
"$mountbench" report -f csv "$golden/hostile.jsonl" | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
mounts = {row["mount"] for row in rows}
assert {"a|b", "new?line", "\u65e5\u672c\u8a9e\u306e\u30de\u30a6\u30f3\u30c8", "\x27=cmd|\x27 /C calc\x27!A0", "\"quoted\", \x27too\x27"} <= mounts, mounts
assert all(None not in row for row in rows)' || fail 'the CSV of hostile names'
echo "checked with:$checked"
[ -n "$checked" ] || skip 'neither benchstat (no Go) nor hyperfine is here'
