/*
 * Queries over Python text, in tree-sitter's notation, with conditions on what
 * source_facts.h and source_syntax.h know. A query is a list of patterns; each has a
 * capture @hit, and
 *
 *   conditions, all of which must hold: (#name? @capture "text" …), (#not-name? …)
 *   directives that say what to write instead: (#name! …)
 *
 * The lists of both, with what they mean, stand in docs/lint-rules.md; they are made in
 * condition_list.h and source_edits.c. What depends on other files is judged by
 * source_hit_holds(), once all are read.
 *
 * Without tree-sitter in the build, source_available() is false and source_file_read()
 * answers STATUS_ENVIRONMENT.
 */
#ifndef GAIT_SOURCE_SOURCE_QUERY_H
#define GAIT_SOURCE_SOURCE_QUERY_H

#include "base/content_hash.h"
#include "base/status.h"
#include "source/source_facts.h"

/* A longer file is refused: no person wrote it. */
enum { SOURCE_FILE_BYTES_MAX = 1 << 20 };
bool source_available(void); /* was tree-sitter there at build time? */

struct source_query;

/* queries[0..n) as one; they must outlive it. A query that cannot be read is a bug. The
 * caller frees it with source_query_free(). */
struct source_query *source_query_new(const char *const *queries, size_t n);
void source_query_free(struct source_query *q);

struct source_edit {
    uint32_t begin, end;
    const char *text;
};

struct source_hit {
    int32_t query, pattern;
    uint32_t begin, end;                        /* bytes of @hit */
    int32_t line, column, end_line, end_column; /* from 1, columns in characters */
    int32_t place;
    const char *source;         /* its first line: safe to print, cut at 200 characters */
    int32_t caret, caret_width; /* of the cause within source */
    const char *advice;         /* of the pattern, "": none */
    bool safe;                  /* the edits change no value */
    bool once;                  /* of a program only the first such hit counts */
    bool refused;               /* an edit could not be made: there are none */
    int32_t wait_turn;   /* place of the loop or function whose turn waits; 0: no wait */
    uint32_t wait_after; /* the work of that turn it waits for: equal for one wait */
    bool wait_wraps;     /* that work is of the turn before */
    struct source_edit *edits;
    int32_t n_edits;
};

struct source_comment {            /* that holds "noqa" */
    uint32_t begin, end;           /* with the #, without a carriage return */
    uint32_t line_begin, line_end; /* bytes of its line, with its end */
    uint32_t blanks;               /* bytes of blanks right before it */
    int32_t line, column;
    const char *text;   /* cut at 1000 bytes */
    const char *source; /* its line, as of a hit */
};

/* Lines at whose end no comment may stand, since a string or a backslash leads on. */
struct source_joined {
    int32_t line, end_line; /* from the first such line to the one that ends it */
};

struct source_file {
    struct source_facts facts;
    struct content_hash_text hash;
    struct source_hit *hits; /* in the order of the text */
    size_t n_hits, cap_hits;
    struct source_comment *comments;
    size_t n_comments, cap_comments;
    struct source_joined *joined; /* in the order of the text, apart from each other */
    size_t n_joined, cap_joined;
};

/* Reads text[0..len); name is for messages. On OK the caller releases *f. Any number of
 * threads may use one query. */
enum status source_file_read(struct source_file *f, const struct source_query *q,
                             const char *text, size_t len, const char *name,
                             struct err *err);
void source_file_release(struct source_file *f);

/* Do the conditions hold that need the whole project? job_words: of all files that are
 * part of the same program. */
bool source_hit_holds(const struct source_query *q, const struct source_file *f,
                      const struct source_hit *hit,
                      const uint64_t job_words[SOURCE_WORD_SETS]);

#endif
