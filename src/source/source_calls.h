/* What single nodes say; private to this folder. */
#ifndef GAIT_SOURCE_SOURCE_CALLS_H
#define GAIT_SOURCE_SOURCE_CALLS_H

#include "source/source_syntax.h"

/* Roles and decorators of a function that was just added. */
void source_note_function(struct source_syntax *s, TSNode n, struct source_function *f);
void source_note_class(struct source_syntax *s, TSNode n, struct source_class *c);
/* A call: backward, an optimizer's step, or a link to a function. */
void source_note_call(struct source_syntax *s, TSNode n, int32_t place);
void source_note_import(struct source_syntax *s, TSNode n);
/* What a call, or the type of a parameter, tells of the device and of PyTorch's version;
 * full: the name of what is called. */
void source_note_markers(struct source_syntax *s, TSNode call, const char *full,
                         int32_t place);
void source_note_subscript(struct source_syntax *s, TSNode n);
/* An imported module, or a name of one. */
void source_note_library(struct source_syntax *s, const char *name);
void source_note_annotation(struct source_syntax *s, TSNode type);

/* Does a block end by leaving the loop, the function or the program? */
bool source_block_leaves(const struct source_syntax *s, TSNode body);
/* Is a branch not taken in most turns: by its condition, or as it leaves the loop? n is
 * an if, elif or else. */
bool source_branch_is_seldom(const struct source_syntax *s, TSNode n, TSNode body);

/* Not taken with the defaults of parameters, fields and options of the command line? */
bool source_branch_is_off(const struct source_syntax *s, TSNode n, TSNode body);

/* Does a loop go over a model's parts, which are few? over: what it goes over. */
bool source_is_over_parts(const struct source_syntax *s, TSNode over);

/* Surely taken with them? */
bool source_branch_is_on(const struct source_syntax *s, TSNode n);

/* Is an expression surely true with these defaults? */
bool source_is_true_by_default(const struct source_syntax *s, TSNode n);

/* By a count of turns: every n-th? */
bool source_branch_is_counted(const struct source_syntax *s, TSNode n);

/* Does the text of a with or decorator switch gradients off? */
bool source_names_no_grad(struct slice text);

/* if step % 100 != 0: continue */
bool source_branch_skips_most(const struct source_syntax *s, TSNode n);

#endif
