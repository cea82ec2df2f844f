/* tree.h: directories of the driver's own, made with a mark and removed with all below them. */
#ifndef MB_TREE_H
#define MB_TREE_H

#include "mountbench/error.h"

/* The file in a directory of a run that makes it ours, with the run's id in it: what `clean` looks for. */
#define MB_RUN_MARK ".mountbench-run"

/* mb_tree_mark(path, name, text, err): make the file ${path}/${name}, which is not there yet, with ${text} in it. */
int mb_tree_mark(const char *path, const char *name, const char *text, struct mb_error *err);

/*
 * mb_tree_remove(path, err):
 * Remove ${path} and all below it without following symbolic links; what is gone is no error.  On failure the error names the
 * first entry that could not be removed and the rest has been removed all the same.
 */
int mb_tree_remove(const char *path, struct mb_error *err);

/* mb_tree_make(path, err): make ${path} and the directories above it that are missing. */
int mb_tree_make(const char *path, struct mb_error *err);

#endif
