/*
 * Read before each source of tree-sitter: its time limits count the CPU time of the thread
 * that parses, so that a busy machine stops no file that an idle one checks.
 * tree-sitter 0.23 has no other way to choose its clock, and a parser that a limit has stopped
 * does not go on as if nothing had happened: it takes up its versions in another order.
 */
#ifndef GAIT_TREE_SITTER_CLOCK_H
#define GAIT_TREE_SITTER_CLOCK_H

#include <time.h>

#undef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC CLOCK_THREAD_CPUTIME_ID

#endif
