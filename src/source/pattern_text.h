/*
 * The text of patterns: what must be known of them before they are compiled. Private to
 * this folder. The texts outlive what is found in them.
 */
#ifndef GAIT_SOURCE_PATTERN_TEXT_H
#define GAIT_SOURCE_PATTERN_TEXT_H

#include "source/python_tree.h"

enum { PREDICATE_STRINGS_MAX = 64 };

/* (#name @capture "a" "b"); plain: it ends there. */
struct predicate_text {
    struct slice name, capture;
    struct slice strings[PREDICATE_STRINGS_MAX]; /* (n) as written, without the quotes */
    int32_t n;
    bool plain;
};

/* Takes the first pattern off the rest; false at the end. */
bool pattern_text_next(struct slice *rest, struct slice *pattern);

/* Is it a pattern of a call that says by which names it is called, as in
 *   ((call function: (_) @f) @hit (#is? @f "torch.cat" "torch.stack"))
 * Then strings[0..n) are these names, without what stands before their last point. */
bool pattern_trigger(struct slice pattern, struct predicate_text *names);

/* Each word that job-has? and file-has? ask for. */
void pattern_words(struct slice pattern, void (*take)(void *context, struct slice word),
                   void *context);

#endif
