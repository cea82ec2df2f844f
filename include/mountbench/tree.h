/* tree.h: directories of the driver's own, made with a mark and removed with all below them. */
#ifndef MB_TREE_H
#define MB_TREE_H

#include "mountbench/error.h"

/*
 * mb_tree_remove(path, err):
 * Remove ${path} and all below it without following symbolic links; what is gone is no error.  On failure the error names the
 * first entry that could not be removed and the rest has been removed all the same.
 */
int mb_tree_remove(const char *path, struct mb_error *err);

/* mb_tree_make(path, err): make ${path} and the directories above it that are missing. */
int mb_tree_make(const char *path, struct mb_error *err);

#endif
