/*
 * Read before each source of tree-sitter: its time limits count the CPU time of the thread
 * that parses or searches, so that a busy machine stops no file that an idle one checks.
 * tree-sitter 0.23 has no other way to choose its clock, and what a limit has stopped cannot
 * go on as if nothing had happened: a parser takes up its versions in another order, and a
 * query cursor does not say that it was stopped.
 */
#ifndef GAIT_TREE_SITTER_CLOCK_H
#define GAIT_TREE_SITTER_CLOCK_H

#include <time.h>

#undef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC CLOCK_THREAD_CPUTIME_ID

#endif
