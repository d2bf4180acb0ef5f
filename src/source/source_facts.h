/*
 * What stands in a Python source, as far as the rules about training loops need it:
 * functions, loops and calls, each with its line, and in which loop and function a call
 * stands.
 *
 * Invariant: functions, loops and calls are in the order of the text; a loop's parent has
 * a smaller number than the loop.
 *
 * Without tree-sitter in the build, every function here answers STATUS_ENVIRONMENT and
 * says how to get it.
 */
#ifndef GAIT_SOURCE_SOURCE_FACTS_H
#define GAIT_SOURCE_SOURCE_FACTS_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SOURCE_FILE_BYTES_MAX = 1 << 20,
    SOURCE_DEPTH_MAX =
        2000, /* of nesting in the tree; what people write stays below 200 */
    SOURCE_NAME_BYTES_MAX = 80, /* longer names are cut: the end of a receiver is kept */
};

struct source_function {
    const char *name;
    int32_t line, end_line;
};

struct source_loop {
    int32_t line, end_line;
    int32_t function; /* -1: none */
    int32_t parent;   /* the loop around it in the same function, or -1 */
    bool is_while;
    bool trains;   /* calls .backward() or an optimizer's .step() itself, not through a
                      loop inside it: a turn is a training step */
    bool periodic; /* stands under an `if … % …` inside its parent */
};

struct source_call {
    const char *name;     /* "backward" of loss.backward(), "float" of float(x) */
    const char *receiver; /* "loss" of loss.backward(); "" of a plain call */
    int32_t line;
    uint32_t begin_byte, end_byte;
    int32_t function; /* -1: none */
    int32_t loop;     /* the innermost loop whose every turn makes this call, or -1 */
    bool periodic; /* stands under an `if … % …` inside that loop: not every turn */
};

struct source_facts {
    struct arena text;
    struct source_function *functions;
    size_t n_functions, cap_functions;
    struct source_loop *loops;
    size_t n_loops, cap_loops;
    struct source_call *calls;
    size_t n_calls, cap_calls;
    int32_t error_line; /* of the first part that is not Python; 0: all of it is */
};

bool source_available(void); /* was tree-sitter there at build time? */

/* The facts of text[0..len); name is for messages. On OK the caller releases *f. */
enum status source_facts_read(struct source_facts *f, const char *text, size_t len,
                              const char *name, struct err *err);
void source_facts_release(struct source_facts *f);

/* Is the call made in every turn of a loop that trains? */
bool source_call_in_training_step(const struct source_facts *f,
                                  const struct source_call *call);

#endif
