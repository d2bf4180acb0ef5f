/*
 * Options of a program: what files say they are unless somebody chooses, and branches that
 * ask for options of other files. Private to this folder.
 *
 * A file alone answers what its own options tell (source_defaults.c). What is left is
 * noted here as choices, and answered once all files are read.
 */
#ifndef GAIT_SOURCE_SOURCE_OPTIONS_H
#define GAIT_SOURCE_SOURCE_OPTIONS_H

#include "source/source_syntax.h"

enum known { NOT_KNOWN, IS_NONE, IS_BOOL, IS_NUMBER, IS_TEXT };

struct default_value {
    enum known known;
    double number; /* of a bool too */
    struct slice text;
};

enum truth { IS_FALSE, IS_TRUE, MAYBE };

/* source_defaults.c */
struct default_value default_of_literal(const struct source_syntax *s, TSNode n);
/* add_argument("--name", action="store_true"), click.option("--name", default=…) */
struct default_value default_of_option_call(const struct source_syntax *s, TSNode call);
bool default_same(const struct default_value *a, const struct default_value *b);
enum truth default_compared(const struct default_value *a, const char *op,
                            const struct default_value *b);
enum truth default_truth(const struct default_value *v);
/* What a launcher or the command line always sets is no option that is off. */
bool default_is_left_open(struct slice name);
bool default_holds_training(const struct source_syntax *s, TSNode body);

/* Options that a file declares, or sets: facts->options. Once all is read. */
void source_options_note(struct source_syntax *s);
/* args.x = …: nobody knows what it is then. */
void source_option_assigned(struct source_syntax *s, TSNode target, TSNode value);
/* "x" of args.x, or of a name for it; NULL: n is no option. */
const char *source_option_name(struct source_syntax *s, TSNode n);
/* A branch at a place that asks for options which this file may not declare: n is an if,
 * elif or else. */
void source_choice_note(struct source_syntax *s, TSNode n, TSNode body, int32_t place);

#endif
