/* What a matrix may not say, and in which words it is told so: place, key, value, rule, nearest right word. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/load.h"
#include "mountbench/buffer.h"

/* A text called "m.yaml" and the whole message that refuses it; one that ends in '*' only begins so: the rest is the YAML
 * library's. */
struct refusal {
    const char *text, *message;
};

/* The lines that most cases share: mounts on line 1, workloads on line 2, the case's own from line 3. */
#define WORKLOADS "workloads: [commit]\n"
#define MOUNTS "mounts: [layer, tmpfs]\n"
#define BOTH MOUNTS WORKLOADS

static bool
is_message(const char *message, const char *wanted)
{
    size_t n = strlen(wanted);

    if (n > 0 && wanted[n - 1] == '*')
        return strncmp(message, wanted, n - 1) == 0 && strlen(message) > n;
    return strcmp(message, wanted) == 0;
}

static void
run(const struct refusal *cases, size_t n)
{
    int wrong = 0;

    for (size_t i = 0; i < n; i++) {
        struct mb_error err = {0};
        struct mb_matrix *m = NULL;
        int status = mb_matrix_parse("m.yaml", cases[i].text, strlen(cases[i].text), NULL, &m, &err);
        mb_matrix_free(m);
        if (status == -1 && m == NULL && mb_error_exit_status(&err) == 2 && is_message(err.message, cases[i].message))
            continue;
        printf("for:\n%.300s\nis:     %s\nwanted: %s\n", cases[i].text, status == 0 ? "accepted" : err.message, cases[i].message);
        fflush(stdout);
        wrong++;
    }
    ck_assert_int_eq(wrong, 0);
}
#define RUN(cases) run(cases, sizeof(cases) / sizeof(cases)[0])

START_TEST(unknown_words)
{
    static const struct refusal cases[] = {
        {BOTH "mount: 1\n", "m.yaml:3: unknown key 'mount' (did you mean 'mounts'?)"},
        {BOTH "zebra: 1\n",
         "m.yaml:3: unknown key 'zebra' (there are name, description, engines, mounts, workloads, rounds, warmup, "
         "max_time, passes, exclude, include)"},
        {"mounts:\n  - layer\n  - {name: x, type: nsf}\n" WORKLOADS,
         "m.yaml:3: mounts[1].type: unknown kind 'nsf' (did you mean 'nfs'?)"},
        {"mounts: [layers]\n" WORKLOADS, "m.yaml:1: mounts[0]: unknown kind 'layers' (did you mean 'layer'?)"},
        {"mounts: [zebra]\n" WORKLOADS,
         "m.yaml:1: mounts[0]: unknown kind 'zebra' (there are layer, bind, volume, nfs, tmpfs, sync, path, host)"},
        {"mounts:\n  - type: bind\n    consitency: cached\n" WORKLOADS,
         "m.yaml:3: mounts[0]: unknown key 'consitency' (did you mean 'consistency'?)"},
        {"mounts:\n  - type: bind\n    consistency: cachd\n" WORKLOADS,
         "m.yaml:3: mounts[0].consistency: unknown consistency 'cachd' (did you mean 'cached'?)"},
        {MOUNTS "workloads: [comit]\n", "m.yaml:2: workloads[0]: unknown kind 'comit' (did you mean 'commit'?)"},
        {MOUNTS "workloads:\n  - {type: seq-wirte}\n",
         "m.yaml:3: workloads[0].type: unknown kind 'seq-wirte' (did you mean 'seq-write'?)"},
        {MOUNTS "workloads:\n  - {type: seq-write, blok: 1KiB}\n",
         "m.yaml:3: workloads[0]: unknown key 'blok' (did you mean 'block'?)"},
        {MOUNTS "workloads:\n  - {type: seq-write, host_visible: maybe}\n",
         "m.yaml:3: workloads[0].host_visible: 'maybe' is neither true nor false, nor a duration (30s) to wait at most"},
        {MOUNTS "workloads:\n  - {type: seq-write, host_visible: 0s}\n",
         "m.yaml:3: workloads[0].host_visible: '0s' is neither true nor false, nor a duration (30s) to wait at most"},
        {MOUNTS "workloads:\n  - {type: seq-write, host_visible: 999999h}\n",
         "m.yaml:3: workloads[0].host_visible: '999999h' is too long (at most 30 days)"},
        {MOUNTS "workloads:\n  - {type: seq-read, host_visible: true}\n", "m.yaml:3: workloads[0]: unknown key 'host_visible' *"},
        {MOUNTS "workloads:\n  - {type: seq-write, source: zeros}\n",
         "m.yaml:3: workloads[0].source: unknown value 'zeros' (did you mean 'zero'?)"},
        {BOTH "engines: [{runtime: colimaa}]\n",
         "m.yaml:3: engines[0].runtime: unknown runtime 'colimaa' (did you mean 'colima'?)"},
        {BOTH "engines: [{nam: x}]\n", "m.yaml:3: engines[0]: unknown key 'nam' (did you mean 'name'?)"},
        {BOTH "exclude: [{mounts: tmpfs}]\n", "m.yaml:3: exclude[0]: unknown key 'mounts' (did you mean 'mount'?)"},
        {BOTH "exclude:\n  - {mount: tmfs}\n", "m.yaml:4: exclude[0].mount: 'tmfs' matches no mount (did you mean 'tmpfs'?)"},
        {BOTH "include:\n  - {mount: [layer, zebra]}\n",
         "m.yaml:4: include[0].mount[1]: 'zebra' matches no mount (there are layer, tmpfs)"},
        {BOTH "rounds: {precison: 3%}\n", "m.yaml:3: rounds: unknown key 'precison' (did you mean 'precision'?)"},
    };
    RUN(cases);
}
END_TEST

START_TEST(wrong_types)
{
    static const struct refusal cases[] = {
        {"- layer\n", "m.yaml:1: a matrix is a map with the keys mounts and workloads, and this is a list"},
        {"layer\n", "m.yaml:1: a matrix is a map with the keys mounts and workloads, and this is text"},
        {"mounts: layer\n" WORKLOADS, "m.yaml:1: mounts: a list is wanted, and this is text"},
        {"mounts: {layer: 1}\n" WORKLOADS, "m.yaml:1: mounts: a list is wanted, and this is a map"},
        {"mounts: [[layer]]\n" WORKLOADS, "m.yaml:1: mounts[0]: a map is wanted, and this is a list"},
        {"mounts: [~]\n" WORKLOADS, "m.yaml:1: mounts[0]: a map is wanted, and this is nothing"},
        {"mounts: [{type: [bind]}]\n" WORKLOADS, "m.yaml:1: mounts[0].type: one value is wanted, and this is a list"},
        {"mounts: [{type: bind, name: {a: b}}]\n" WORKLOADS, "m.yaml:1: mounts[0].name: one value is wanted, and this is a map"},
        {"mounts: [{type: bind, name: }]\n" WORKLOADS, "m.yaml:1: mounts[0].name: one value is wanted, and this is nothing"},
        {"mounts: [{type: sync, sync: mutagen}]\n" WORKLOADS, "m.yaml:1: mounts[0].sync: a map is wanted, and this is text"},
        {"mounts: [{type: sync, sync: {a: 1}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync: 'tool' is missing: what keeps the volume equal to the host's directory (unison, mutagen, "
         "command)"},
        {"mounts: [{type: sync, sync: {tool: mutgen}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync.tool: unknown tool 'mutgen' (did you mean 'mutagen'?)"},
        {"mounts:\n  - type: sync\n    sync:\n      tool: unison\n      prefre: newer\n" WORKLOADS,
         "m.yaml:5: mounts[0].sync: unknown key 'prefre' (did you mean 'prefer'?)"},
        {"mounts: [{type: sync, sync: {tool: unison, prefer: newest}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync.prefer: unknown prefer 'newest' (did you mean 'newer'?)"},
        {"mounts: [{type: sync, sync: {tool: unison, mode: two-way-safe}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync: unknown key 'mode' (there are tool, image, pull, build, ready_timeout, arguments, prefer, "
         "repeat)"},
        {"mounts: [{type: sync, sync: {tool: unison, repeat: 1500ms}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync.repeat: 'watch' or whole seconds from 1s to 1h are wanted"},
        {"mounts: [{type: sync, sync: {tool: mutagen, mode: one-way-safe}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync.mode: unknown mode 'one-way-safe' (did you mean 'two-way-safe'?)"},
        {"mounts: [{type: sync, sync: {tool: mutagen, start: [a]}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync: unknown key 'start' (there are tool, image, pull, build, ready_timeout, arguments, mode)"},
        {"mounts: [{type: sync, sync: {tool: command}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync: the tool 'command' needs 'start': the program and its arguments, a list"},
        {"mounts: [{type: sync, sync: {tool: command, start: run it}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync.start: a list is wanted, and this is text"},
        {"mounts: [{type: sync, sync: {tool: command, start: [\"\", x]}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync.start: the first word is the program's name, and it is empty"},
        {"mounts: [{type: sync, sync: {tool: unison, build: x, pull: true}}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].sync.pull: what is built is not pulled"},
        {BOTH "rounds: [5]\n", "m.yaml:3: rounds: one value is wanted, and this is a list"},
        {BOTH "rounds: many\n", "m.yaml:3: rounds: 'many' is no whole number"},
        {BOTH "rounds: 2.5\n", "m.yaml:3: rounds: '2.5' is no whole number"},
        {BOTH "exclude: tmpfs\n", "m.yaml:3: exclude: a list is wanted, and this is text"},
        {BOTH "exclude: [tmpfs]\n", "m.yaml:3: exclude[0]: a map is wanted, and this is text"},
        {BOTH "exclude: [{}]\n", "m.yaml:3: exclude[0]: the map is empty"},
        {BOTH "exclude: [{mount: {a: b}}]\n", "m.yaml:3: exclude[0].mount: a list is wanted, and this is a map"},
        {BOTH "engines: [{runtime: command, up: start}]\n", "m.yaml:3: engines[0].up: a list is wanted, and this is text"},
        {BOTH "engines: [{runtime: command, up: [[a]]}]\n", "m.yaml:3: engines[0].up[0]: one value is wanted, and this is a list"},
        {BOTH "engines: [{runtime: colima, settings: 5}]\n", "m.yaml:3: engines[0].settings: a map is wanted, and this is text"},
        {MOUNTS "workloads: [{type: seq-write, direct: maybe}]\n",
         "m.yaml:2: workloads[0].direct: unknown value 'maybe': it is one of false, true"},
    };
    RUN(cases);
}
END_TEST

START_TEST(empty_axes)
{
    static const struct refusal cases[] = {
        {WORKLOADS, "m.yaml:1: 'mounts' is missing: the list of mounts to measure"},
        {MOUNTS, "m.yaml:1: 'workloads' is missing: the list of workloads to measure"},
        {"mounts: []\n" WORKLOADS, "m.yaml:1: mounts: the list is empty"},
        {"mounts:\n" WORKLOADS, "m.yaml:1: mounts: a list is wanted, and this is nothing"},
        {MOUNTS "workloads: []\n", "m.yaml:2: workloads: the list is empty"},
        {BOTH "engines: []\n", "m.yaml:3: engines: the list is empty"},
        {"mounts: [{}]\n" WORKLOADS, "m.yaml:1: mounts[0]: the map is empty"},
        {"mounts: [{name: x}]\n" WORKLOADS,
         "m.yaml:1: mounts[0]: 'type' is missing (layer, bind, volume, nfs, tmpfs, sync, path, host)"},
        {MOUNTS "workloads: [{name: x}]\n",
         "m.yaml:2: workloads[0]: 'type' is missing ('mountbench run --help-workloads' lists them)"},
        {BOTH "exclude: [{mount: '*'}]\n", "m.yaml:1: no cell is left: 'exclude' matches all of them"},
        {"", "m.yaml: the file is empty; a matrix has at least the keys mounts and workloads"},
        {"# nothing\n", "m.yaml: the file is empty; a matrix has at least the keys mounts and workloads"},
        {"---\n...\n", "m.yaml: the file is empty; a matrix has at least the keys mounts and workloads"},
        {"~\n", "m.yaml: the file is empty; a matrix has at least the keys mounts and workloads"},
    };
    RUN(cases);
}
END_TEST

START_TEST(duplicates)
{
    static const struct refusal cases[] = {
        {"mounts:\n  - layer\n  - tmpfs\n  - layer\n" WORKLOADS,
         "m.yaml:4: mounts[2]: the name 'layer' is taken by mounts[0] on line 2"},
        {"mounts:\n  - {name: x, type: bind}\n  - {name: x, type: layer}\n" WORKLOADS,
         "m.yaml:3: mounts[1]: the name 'x' is taken by mounts[0] on line 2"},
        {MOUNTS "workloads:\n  - commit\n  - {name: commit, type: seq-read}\n",
         "m.yaml:4: workloads[1]: the name 'commit' is taken by workloads[0] on line 3"},
        {BOTH "engines: [default, default]\n", "m.yaml:3: engines[1]: the name 'default' is taken by engines[0] on line 3"},
        {BOTH MOUNTS, "m.yaml:3: the key 'mounts' is given twice (first on line 1)"},
        {"mounts:\n  - type: bind\n    name: a\n    type: layer\n" WORKLOADS,
         "m.yaml:4: the key 'type' is given twice (first on line 2)"},
        /* Two names for one cell. */
        {"mounts:\n  - {name: a, type: bind, consistency: cached}\n  - {name: b, type: bind, consistency: cached}\n" WORKLOADS,
         "m.yaml:3: mounts[1]: two names for one cell: 'b' is the same as 'a' (mounts[0] on line 2)"},
        {"mounts: [bind, {name: b, type: bind}]\n" WORKLOADS,
         "m.yaml:1: mounts[1]: two names for one cell: 'b' is the same as 'bind' (mounts[0] on line 1)"},
        {MOUNTS "workloads:\n  - {name: a, type: commit}\n  - {name: b, type: commit, record: 4096, count: 500}\n",
         "m.yaml:4: workloads[1]: two names for one cell: 'b' is the same as 'a' (workloads[0] on line 3)"},
        {BOTH "engines: [{name: a, context: c}, {name: b, context: c}]\n",
         "m.yaml:3: engines[1]: two names for one cell: 'b' is the same as 'a' (engines[0] on line 3)"},
        {BOTH "engines: [c, {name: b, context: c}]\n",
         "m.yaml:3: engines[1]: two names for one cell: 'b' is the same as 'c' (engines[0] on line 3)"},
    };
    RUN(cases);
}
END_TEST

START_TEST(sizes_and_numbers)
{
    static const struct refusal cases[] = {
        {MOUNTS "workloads: [{type: seq-write, block: -4KiB}]\n", "m.yaml:2: workloads[0].block: '-4KiB' is negative"},
        {MOUNTS "workloads: [{type: seq-write, block: 0}]\n",
         "m.yaml:2: workloads[0].block: '0' is zero; a size is at least one byte"},
        {MOUNTS "workloads: [{type: seq-write, total: 5000TiB}]\n",
         "m.yaml:2: workloads[0].total: '5000TiB' is too large (at most 1 PiB)"},
        {MOUNTS "workloads: [{type: seq-write, block: 4KX}]\n",
         "m.yaml:2: workloads[0].block: '4KX' has an unknown unit 'KX' (did you mean 'kB'?)"},
        {MOUNTS "workloads: [{type: seq-write, block: big}]\n", "m.yaml:2: workloads[0].block: 'big' is no size (such as '4KiB')"},
        {MOUNTS "workloads: [{type: seq-write, block: }]\n",
         "m.yaml:2: workloads[0].block: one value is wanted, and this is nothing"},
        {MOUNTS "workloads: [{type: seq-write, block: ''}]\n", "m.yaml:2: workloads[0].block: the value is empty"},
        {MOUNTS "workloads: [{type: commit, count: -1}]\n", "m.yaml:2: workloads[0].count: '-1' is negative"},
        {MOUNTS "workloads: [{type: commit, count: 0}]\n", "m.yaml:2: workloads[0].count: '0' is not between 1 and 10000000"},
        {MOUNTS "workloads: [{type: commit, timeout: 5}]\n", "m.yaml:2: workloads[0].timeout: '5' has no unit (such as '5s')"},
        {MOUNTS "workloads: [{type: commit, timeout: 0s}]\n", "m.yaml:2: workloads[0].timeout: '0s' is no time at all"},
        {"mounts: [{type: tmpfs, size: 0}]\n" WORKLOADS, "m.yaml:1: mounts[0].size: '0' is zero; a size is at least one byte"},
        {"mounts: [{type: tmpfs, size: 64 MBs}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].size: '64 MBs' has an unknown unit 'MBs' (did you mean 'MB'?)"},
        {BOTH "rounds: 0\n", "m.yaml:3: rounds: '0' is too small (at least 1)"},
        {BOTH "rounds: 1000000\n", "m.yaml:3: rounds: '1000000' is too large (at most 10000)"},
        {BOTH "warmup: -1\n", "m.yaml:3: warmup: '-1' is negative"},
        {BOTH "passes: 0\n", "m.yaml:3: passes: '0' is too small (at least 1)"},
        {BOTH "max_time: 31d\n", "m.yaml:3: max_time: '31d' has an unknown unit 'd' (units are ns, us, ms, s, ...)"},
        {BOTH "max_time: 100000h\n", "m.yaml:3: max_time: '100000h' is too long (at most 30 days)"},
        {BOTH "rounds: {min: 5}\n", "m.yaml:3: rounds: 'precision' is missing (such as {precision: 3%, min: 5, max: 50})"},
        {BOTH "rounds: {precision: 0%}\n", "m.yaml:3: rounds.precision: the precision is not between 0.01% and 100%"},
        {BOTH "rounds: {precision: -3%}\n", "m.yaml:3: rounds.precision: '-3%' is negative"},
        {BOTH "rounds: {precision: 3%, min: 2}\n", "m.yaml:3: rounds.min: '2' is too small (at least 3)"},
        {BOTH "rounds: {precision: 3%, min: 9, max: 8}\n", "m.yaml:3: rounds: max 8 is below min 9"},
    };
    RUN(cases);
}
END_TEST

#define TEN "aaaaaaaaaa"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

START_TEST(names)
{
    static const struct refusal cases[] = {
        {"mounts: [{type: bind, name: a/b}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].name: the name 'a/b' holds a '/', which separates the names of a cell"},
        {"mounts: [{type: bind, name: \"a\\tb\"}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].name: the name 'a?b' holds a control character"},
        {"mounts: [{type: bind, name: \"a\\e[31mb\"}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].name: the name 'a?[31mb' holds a control character"},
        {"mounts: [{type: bind, name: \"a\\u202eb\"}]\n" WORKLOADS, "m.yaml:1: mounts[0].name: the name 'a\xe2\x80\xae"
                                                                    "b' holds a control character"},
        {"mounts: [{type: bind, name: \"a\\0b\"}]\n" WORKLOADS, "m.yaml:1: a text holds a NUL character"},
        {"mounts: [{type: bind, name: " HUNDRED "b}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].name: the name '" TEN TEN TEN TEN TEN TEN "...' is 101 bytes long; a name has at most 100"},
        {"mounts: [{type: bind, name: ''}]\n" WORKLOADS, "m.yaml:1: mounts[0].name: the name is empty"},
        {"mounts: [{type: bind, name: 'a*'}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].name: the name 'a*' holds one of * ? [ ] \\, which are for patterns"},
        {"mounts: [{type: bind, name: ' a'}]\n" WORKLOADS, "m.yaml:1: mounts[0].name: the name ' a' begins or ends with a blank"},
        {"mounts: [{type: bind, name: ..}]\n" WORKLOADS, "m.yaml:1: mounts[0].name: the name '..' would be a directory's"},
        {MOUNTS "workloads: [{type: commit, name: a/b}]\n",
         "m.yaml:2: workloads[0].name: the name 'a/b' holds a '/', which separates the names of a cell"},
        {BOTH "engines: [a/b]\n", "m.yaml:3: engines[0]: the name 'a/b' holds a '/', which separates the names of a cell"},
        {BOTH "name: a/b\n", "m.yaml:3: name: the name 'a/b' holds a '/', which separates the names of a cell"},
    };
    RUN(cases);
}
END_TEST

START_TEST(what_does_not_go_together)
{
    static const struct refusal cases[] = {
        {BOTH "engines:\n  - {name: x, context: a, endpoint: 'unix:///b'}\n",
         "m.yaml:4: engines[0]: context and endpoint both say where the engine is; give one of them"},
        {BOTH "engines: [{name: x, endpoint: /run/docker.sock}]\n",
         "m.yaml:3: engines[0].endpoint: '/run/docker.sock' is no engine's address: it begins with unix://, tcp://, https:// or "
         "ssh://"},
        {BOTH "engines: ['ftp://x']\n",
         "m.yaml:3: engines[0]: 'ftp://x' is no engine's address: it begins with unix://, tcp://, https:// or ssh://"},
        {BOTH "engines: [{ready_timeout: 5s}]\n",
         "m.yaml:3: engines[0]: an engine needs one of name, context, endpoint and runtime"},
        {BOTH "engines: [{runtime: command}]\n",
         "m.yaml:3: engines[0]: runtime 'command' needs 'up', the command that starts the engine, as a list of words"},
        {BOTH "engines: [{runtime: colima, down: [x]}]\n", "m.yaml:3: engines[0]: 'down' is for runtime 'command' alone"},
        {BOTH "engines: [{name: x, settings: {a: 1}}]\n", "m.yaml:3: engines[0]: 'settings' needs a 'runtime' to set them"},
        {"mounts: [{type: layer, size: 1MiB}]\n" WORKLOADS, "m.yaml:1: mounts[0].size: a mount of type 'layer' has no 'size'"},
        {"mounts: [{type: volume, consistency: cached}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].consistency: a mount of type 'volume' has no 'consistency'"},
        {"mounts: [nfs]\n" WORKLOADS,
         "m.yaml:1: mounts[0]: a mount of type 'nfs' needs 'device': write it as a map, {type: nfs, device: ...}"},
        {"mounts: [{type: nfs, device: ':/x'}]\n" WORKLOADS, "m.yaml:1: mounts[0]: a mount of type 'nfs' needs 'options' (such as "
                                                             "device: \":/share\", options: \"addr=SERVER,vers=4\")"},
        {"mounts: [{type: nfs, device: ':/x', options: o, fstype: cifs}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].fstype: unknown fstype 'cifs' (did you mean 'nfs'?)"},
        {"mounts: [{type: path, path: data}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].path: the path is on the engine's machine and must be absolute"},
        {"mounts: [{type: host, isolation: trial}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].isolation: the host mount has no container to make anew for a trial"},
        {"mounts: [{type: bind, isolation: always}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].isolation: unknown isolation 'always' (there are run, trial)"},
        {"mounts: [{type: bind, path: \"a\\nb\"}]\n" WORKLOADS,
         "m.yaml:1: mounts[0].path: the value holds a line break or another control character"},
        {MOUNTS "workloads: [{type: rand-read, block: 64KiB, span: 4KiB}]\n", NULL},
    };
    size_t n = sizeof cases / sizeof cases[0] - 1;
    struct mb_error err = {0};
    struct mb_matrix *m;

    run(cases, n);
    /* A rule between parameters: in the workload's own words, at the workload's place. */
    ck_assert_int_eq(mb_matrix_parse("m.yaml", cases[n].text, strlen(cases[n].text), NULL, &m, &err), -1);
    ck_assert_msg(strncmp(err.message, "m.yaml:2: workloads[0]: ", 24) == 0, "%s", err.message);
}
END_TEST

START_TEST(variables)
{
    setenv("MB_TEST_EMPTY", "", 1);
    unsetenv("MB_TEST_UNSET");
    static const struct refusal cases[] = {
        {"mounts:\n  - ${MB_TEST_UNSET}\n" WORKLOADS,
         "m.yaml:2: the environment variable MB_TEST_UNSET is not set (write '${MB_TEST_UNSET:-value}' for a default)"},
        {BOTH "description: $MB_TEST_UNSET\n",
         "m.yaml:3: the environment variable MB_TEST_UNSET is not set (write '${MB_TEST_UNSET:-value}' for a default)"},
        {BOTH "description: ${MB_TEST_UNSET:?ask the admin}\n",
         "m.yaml:3: the environment variable MB_TEST_UNSET is not set: ask the admin"},
        {BOTH "description: ${MB_TEST_EMPTY:?ask the admin}\n",
         "m.yaml:3: the environment variable MB_TEST_EMPTY is empty: ask the admin"},
        {BOTH "description: '${MB_TEST_EMPTY'\n", "m.yaml:3: '${' without its '}' (write '$$' for a dollar sign)"},
        {BOTH "description: ${}\n", "m.yaml:3: '${' without the name of a variable (write '$$' for a dollar sign)"},
        {BOTH "description: 5 $\n", "m.yaml:3: '$' without the name of a variable (write '$$' for a dollar sign)"},
        {BOTH "description: ${MB_TEST_EMPTY/x/y}\n",
         "m.yaml:3: '${MB_TEST_EMPTY' is followed by neither '}' nor ':-', '-', ':?', '?', ':+' or '+' "
         "(write '$$' for a dollar sign)"},
        /* A value is what its variable makes of it. */
        {BOTH "rounds: ${MB_TEST_EMPTY}\n", "m.yaml:3: rounds: the value is empty"},
        {BOTH "rounds: ${MB_TEST_UNSET:-many}\n", "m.yaml:3: rounds: 'many' is no whole number"},
    };
    RUN(cases);
}
END_TEST

START_TEST(yaml)
{
    static const struct refusal cases[] = {
        {"mounts: [layer,\nworkloads: [commit]\n", "m.yaml:2: not YAML: *"},
        {"mounts: [\"lay", "m.yaml:1: not YAML: *"},
        {"mounts: {", "m.yaml:2: not YAML: *"},
        {"mounts:\n\t- layer\n", "m.yaml:2: not YAML: *"},
        {BOTH "---\n" BOTH, "m.yaml:3: a second document begins here; a matrix file holds one"},
        {"x-a: &a [*a]\n" BOTH, "m.yaml:1: '*a' is inside its own anchor '&a' of line 1: it would never end"},
        {"x-a: &a\n  b: &b\n    c: *a\n" BOTH, "m.yaml:3: '*a' is inside its own anchor '&a' of line 2: it would never end"},
        {"x-a: &a\n  <<: *a\n" BOTH, "m.yaml:2: '*a' is inside its own anchor '&a' of line 2: it would never end"},
        {"mounts: *zz\n" WORKLOADS, "m.yaml:1: '*zz' has no anchor '&zz' before it"},
        {"mounts: [{<<: 5}]\n" WORKLOADS, "m.yaml:1: '<<' merges maps, and this is text"},
        {"mounts: [{<<: [[a]]}]\n" WORKLOADS, "m.yaml:1: '<<' merges maps, and this is a list"},
        {"? [a]\n: b\n", "m.yaml:1: a key must be a plain word"},
        {"name: !!str x\n" BOTH, "m.yaml:1: YAML tags ('!...') are not supported"},
        {"x-deep: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n" BOTH,
         "m.yaml:1: nested more than 32 deep"},
        {"x-a: &a [1,1,1,1,1,1,1,1,1,1]\n"
         "x-b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
         "x-c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
         "x-d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
         "x-e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
         "x-f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
         "m.yaml:1: the file expands to more than 200000 values; do its aliases repeat each other?"},
    };
    RUN(cases);
}
END_TEST

/* Growth that no single line shows: by keys, by anchors, by text, by cells. */
START_TEST(ceilings)
{
    MB_AUTO_BUFFER many_keys = MB_BUFFER_INIT(1 << 20), anchors = MB_BUFFER_INIT(1 << 20), text = MB_BUFFER_INIT(1 << 20),
                   cells = MB_BUFFER_INIT(1 << 20), rules = MB_BUFFER_INIT(1 << 20);

    for (int i = 0; i < 300; i++)
        mb_buffer_printf(&many_keys, "x-%d: 1\n", i);
    mb_buffer_puts(&anchors, "x-a: [");
    for (int i = 0; i < 1100; i++)
        mb_buffer_printf(&anchors, "&a%d 1,", i);
    mb_buffer_puts(&anchors, "]\n");
    mb_buffer_puts(&text, "x-a: &a '");
    for (int i = 0; i < 10000; i++)
        mb_buffer_puts(&text, "0123456789");
    mb_buffer_puts(&text, "'\nx-b: [");
    for (int i = 0; i < 100; i++)
        mb_buffer_puts(&text, "*a,");
    mb_buffer_puts(&text, "]\n");
    mb_buffer_puts(&cells, "mounts:\n");
    for (int i = 0; i < 400; i++)
        mb_buffer_printf(&cells, "  - {name: m%d, type: path, path: /p/%d}\n", i, i);
    mb_buffer_puts(&cells, "workloads:\n");
    for (int i = 0; i < 400; i++)
        mb_buffer_printf(&cells, "  - {name: w%d, type: commit, count: %d}\n", i, i + 1);
    mb_buffer_puts(&rules, BOTH "exclude:\n");
    for (int i = 0; i < 300; i++)
        mb_buffer_puts(&rules, "  - {mount: tmpfs}\n");

    const struct refusal cases[] = {
        {mb_buffer_text(&many_keys), "m.yaml:257: a map with more than 256 keys"},
        {mb_buffer_text(&anchors), "m.yaml:1: more than 1000 anchors"},
        {mb_buffer_text(&text), "m.yaml:1: the file expands to more than 8388608 bytes; do its aliases repeat each other?"},
        {mb_buffer_text(&cells), "m.yaml:1: 1 engines x 400 mounts x 400 workloads are more than 100000 cells"},
        {mb_buffer_text(&rules), "m.yaml:4: exclude: more than 256 rules"},
    };
    RUN(cases);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("matrix refusals");
    TCase *tcase = tcase_create("refusals");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, unknown_words);
    tcase_add_test(tcase, wrong_types);
    tcase_add_test(tcase, empty_axes);
    tcase_add_test(tcase, duplicates);
    tcase_add_test(tcase, sizes_and_numbers);
    tcase_add_test(tcase, names);
    tcase_add_test(tcase, what_does_not_go_together);
    tcase_add_test(tcase, variables);
    tcase_add_test(tcase, yaml);
    tcase_add_test(tcase, ceilings);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
