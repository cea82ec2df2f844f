/*
 * probe.h: the probe's serving loop, and its executables as bytes.
 *
 * The protocol: a request is one line, `VERB key=value ...`, values percent-encoded (every byte up to 0x20, '%', and from
 * 0x7f on; %00 is refused), at most MB_PROBE_LINE_MAX bytes without its newline.  An answer is one line, a JSON object.
 * Requests are answered in order.
 *
 *   hello                         {"type":"hello","protocol":1,"version":"0.1.0","arch":"amd64","kernel":"6.1.0",
 *                                  "page_bytes":4096,"uid":0}
 *   mount dir=D                   {"type":"mount","dir":D,"mount_point":..,"fstype":..,"source":..,"root":..,"options":..,
 *                                  "super_options":..,"device":"8:1","statfs":{"type":61267,"block_bytes":4096,
 *                                  "total_bytes":..,"available_bytes":..,"files":..,"files_free":..}}
 *   read path=P                   {"type":"read","found":true,"text":".."}     at most 4096 bytes of a small file, for the nonce
 *   write path=P text=T           {"type":"write"}                             a small file, created or replaced
 *   prepare id=N workload=W dir=D seed=S timeout_ms=T PARAM=VALUE...
 *                                 {"type":"prepared","id":N,"status":"ok","wall_ns":..}   makes D and what the workload needs there
 *   run id=N workload=W dir=D seed=S timeout_ms=T PARAM=VALUE...
 *                                 {"type":"sample","id":N,"status":"ok","wall_ns":..,"user_ns":..,"sys_ns":..,"bytes":..,
 *                                  "ops":..,"latency_ns":{"p50":..,"p95":..,"p99":..,"max":..},"metrics":{}}
 *   run id=N workload=exec dir=D timeout_ms=T command=L setup=L cleanup=L environment=L working_dir=L
 *                                 the same, and "output":".." after "ops": the last of what the command printed
 *   run ... keep=true             the same, and what the trial made stays until it is discarded
 *   await id=N workload=W dir=D seed=S limit_ms=L timeout_ms=T PARAM=VALUE...
 *                                 {"type":"awaited","id":N,"status":"ok","seen":true,"seen_at_ns":..,"checked_at_ns":..,
 *                                  "missing":0,"wrong":0,"trouble":""}    looks, at most L, until D holds what such a run left
 *   discard id=N dir=D            {"type":"discarded","id":N,"status":"ok"}
 *   change dir=D kind=K name=N to=M version=V from=A size=B stamp=true timeout_ms=T
 *                                 {"type":"changed","status":"ok"}  create, overwrite or append the bytes from A to B of the
 * pattern of V; rename to M; remove.  stamp: give the file the time of V watch dir=D look=L name=N before=S after=S name2=..
 * before2=.. after2=.. limit_ms=T poll_us=P timeout_ms=T
 *                                 {"type":"watched","status":"ok","seen":true,"looks":3,"wrong":0,"trouble":""}  look, by read or
 *                                 stat, until N is as after; wrong: looks that saw neither before nor after.  S: "none" or V:B
 *   cleanup dir=D timeout_ms=T    {"type":"cleaned","status":"ok"}             removes D and all below it
 *   quit                          no answer; the probe exits 0, as it does at end of input
 *
 * A list L is its texts, each percent-encoded by itself and followed by a blank; the whole is then encoded as any value.
 *
 * status is ok, failed, timeout or unsupported (O_DIRECT refused, say), the last three with "reason".  A request that makes no
 * sense, or a mount, read or write that fails, is answered {"type":"error","reason":..}.  Keys that may be left out: id (0),
 * seed (0), timeout_ms (60000; for mount, read and write 10000), and every key of a workload that has a default.  latency_ns is
 * there only where the workload counts latencies.  change and watch take an existing D as it is, names without '/' (propagation.h).
 * await writes nothing, and D need not be there; its moments are of this machine's CLOCK_MONOTONIC, missing and wrong are files.
 * Times are of CLOCK_MONOTONIC around the work alone; user and sys are the child's own over the same span.
 *
 * All but hello and quit happens in a child that is killed at its time limit; a child that cannot be killed (a dead network
 * mount) is left behind, and the probe still answers.
 *
 * D is an absolute path.  Its parent must exist.  prepare and run make D, or adopt it when it is empty, and put a marker into
 * it; a directory that has something in it but no marker is refused, by prepare, run and cleanup, so that a person's directory
 * is never touched.  cleanup leaves an adopted D itself in place, takes a D that does not exist for cleaned, and never follows
 * a symbolic link nor crosses into another mount.  prepare lays out anew each time; run may follow any number of times, and
 * where the workload needs_prepare it fails unless the last prepare had the same workload and parameters (its seed may differ:
 * the data keep the seed of prepare, the order of random operations comes from the seed of run).
 */
#ifndef MB_PROBE_H
#define MB_PROBE_H

#include <stddef.h>

#define MB_PROBE_PROTOCOL 1
#define MB_PROBE_LINE_MAX 32768
/* No answer is longer. */
#define MB_PROBE_ANSWER_MAX 65536

/*
 * mb_probe_serve(in, out):
 * Read requests from the descriptor ${in}, answer on ${out}, until `quit` or end of input.  Return the exit status: 0, or 1
 * when ${in} or ${out} broke.  Wants a process of its own: it ignores SIGPIPE and reaps every child.
 */
int mb_probe_serve(int in, int out);

/*
 * mb_probe_binary(arch, size):
 * The embedded static Linux executable for ${arch} ("amd64", "arm64"; Docker's "x86_64" and "aarch64" are understood too),
 * its length in *${size}; NULL when none is embedded.  In the driver only.
 */
const unsigned char *mb_probe_binary(const char *arch, size_t *size);

#endif
