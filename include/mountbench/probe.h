/*
 * probe.h: the probe's serving loop, and its executables as bytes.
 *
 * The protocol: a request is one line, `VERB key=value ...`, values percent-encoded (every byte up to 0x20, '%', and from
 * 0x7f on), at most MB_PROBE_LINE_MAX bytes.  An answer is one line, a JSON object.  Requests are answered in order.
 *
 *   hello {"type":"hello","protocol":1,"version":"0.1.0","arch":"amd64","kernel":"6.1.0","page_bytes":4096,"uid":0} mount dir=D
 * {"type":"mount","dir":D,"mount_point":..,"fstype":..,"source":..,"root":..,"options":..,
 *                                  "super_options":..,"device":"8:1","statfs":{"type":61267,"block_bytes":4096,
 *                                  "total_bytes":..,"available_bytes":..,"files":..,"files_free":..}}
 *   read path=P                   {"type":"read","found":true,"text":".."}     at most 4096 bytes of a small file, for the nonce
 *   write path=P text=T           {"type":"write"}                             a small file, created or replaced
 *   prepare id=N workload=W dir=D seed=S timeout_ms=T PARAM=VALUE...
 *                                 {"type":"prepared","id":N,"status":"ok","wall_ns":..}   makes D and what the workload needs there
 *   run id=N workload=W dir=D seed=S timeout_ms=T PARAM=VALUE...
 *                                 {"type":"sample","id":N,"status":"ok","wall_ns":..,"user_ns":..,"sys_ns":..,"bytes":..,
 *                                  "ops":..,"latency_ns":{"p50":..,"p95":..,"p99":..,"max":..},"metrics":{}}
 *   cleanup dir=D timeout_ms=T    {"type":"cleaned","status":"ok"}             removes D and all below it
 *   quit                          no answer; the probe exits 0, as it does at end of input
 *
 * status is ok, failed, timeout or unsupported (O_DIRECT refused, say), the last three with "reason".  A request that makes no
 * sense is answered {"type":"error","reason":..}.  Every key of a workload may be left out where it has a default.  The work runs
 * in a child that is killed at its time limit; a child that cannot be killed (a dead network mount) is left behind, and the probe
 * still answers.  Times are of CLOCK_MONOTONIC around the work alone; user and sys are the child's own over the same span.
 */
#ifndef MB_PROBE_H
#define MB_PROBE_H

#include <stddef.h>

#define MB_PROBE_PROTOCOL 1
#define MB_PROBE_LINE_MAX 8192
/* No answer is longer. */
#define MB_PROBE_ANSWER_MAX 65536

/*
 * mb_probe_serve(in, out):
 * Read requests from the descriptor ${in}, answer on ${out}, until `quit` or end of input.  Return the exit status.
 */
int mb_probe_serve(int in, int out);

/*
 * mb_probe_binary(arch, size):
 * The embedded static Linux executable for ${arch} ("amd64", "arm64"; Docker's "x86_64" and "aarch64" are understood too),
 * its length in *${size}; NULL when none is embedded.  In the driver only.
 */
const unsigned char *mb_probe_binary(const char *arch, size_t *size);

#endif
