/* A match of a pattern, for conditions and directives; private to this folder. */
#ifndef GAIT_SOURCE_SOURCE_MATCH_H
#define GAIT_SOURCE_SOURCE_MATCH_H

#include "source/source_query.h"
#include "source/source_syntax.h"

enum { CONDITION_ARGUMENTS_MAX = 48 };

struct match_argument {
    bool is_capture;
    int32_t capture;   /* row of the pattern's captures */
    struct slice text; /* of a string */
};

struct predicate {
    int32_t which; /* row of the table of conditions, or of directives */
    bool negated, directive;
    struct match_argument *arguments;
    int32_t n;
};

struct match {
    const struct source_syntax *syntax;
    const TSNode *captures; /* of the pattern */
};

/* What is judged once all files are read. */
struct project_view {
    const struct source_query *query;
    const struct source_facts *facts;
    const uint64_t *job_words;
    int32_t place;
    uint32_t byte; /* where @hit begins */
};

TSNode match_node(const struct match *m, const struct match_argument *a);
struct slice match_text(const struct match *m, const struct match_argument *a);

/* -1: there is none of that name. */
int32_t condition_find(struct slice name);
bool condition_is_late(int32_t which);
/* Arguments that a condition takes at least. */
int32_t condition_least(int32_t which);
bool condition_holds(int32_t which, const struct match *m, const struct predicate *p);
bool condition_holds_late(int32_t which, const struct project_view *v,
                          const struct predicate *p);

/* False: surely none. */
bool value_may_have_graph(const struct source_syntax *s, TSNode n);

int32_t directive_find(struct slice name);
/* Adds to hit; texts live in facts->text. */
void directive_apply(int32_t which, const struct match *m, const struct predicate *p,
                     struct source_hit *hit);

/* Made of shapes, constants and settings alone: the same in every step. */
bool value_is_invariant(const struct source_syntax *s, TSNode n);
/* Do so many operations make it, and of none of its names as many already? */
bool value_takes_operations(const struct source_syntax *s, TSNode n, int least);
/* Is it no part of a larger invariant expression? */
bool value_is_whole(const struct source_syntax *s, TSNode n);
/* Is it made to be kept for later steps (in a field, a buffer, a memoized function), or
 * to be written into? */
bool value_is_kept(const struct source_syntax *s, TSNode n);

/* Has the function around a decorator with one of these words? */
bool function_is_decorated(const struct source_syntax *s, TSNode n, const char *words);
/* Is it x.unsqueeze(d).repeat(…) that copies along d alone? */
bool repeats_new_dimension(const struct source_syntax *s, TSNode call);
/* Is this the first of so many nn.Linear that are applied to one value? */
bool layers_alike(const struct source_syntax *s, TSNode call, int least);
/* Is one an activation of self.a(x) and the other self.b(x), layers of one shape? */
bool value_is_gated(const struct source_syntax *s, TSNode left, TSNode right);

/* The row of a word that some rule asks for, -1: none does. */
int32_t source_word_find(const struct source_query *q, struct slice word);
/* Sets the bits of all words that a name of the text fits: "*clip*" is any that holds it. */
void source_words_note(const struct source_query *q, struct slice name,
                       uint64_t words[SOURCE_WORD_SETS]);
/* The same of what is true of a program though no name of it says so: "<trains>". */
void source_fact_note(const struct source_query *q, const char *fact,
                      uint64_t words[SOURCE_WORD_SETS]);

/* Is a module part of a library that takes no training steps by itself? */
bool source_library_is_passive(const char *module);

#endif
