/*
 * Texts without what is somebody's own: identifiers, files and folders get neutral names
 * (function12, file1.py), the same one wherever they come again; public_words.h stay.
 * One struct scrub for all texts that are to fit together.
 */
#ifndef GAIT_ANONYMOUS_SCRUB_H
#define GAIT_ANONYMOUS_SCRUB_H

#include "base/names.h"
#include "base/strbuf.h"

enum scrub_label {
    SCRUB_NAME,
    SCRUB_FUNCTION,
    SCRUB_FILE,
    SCRUB_FOLDER,
    SCRUB_MODULE,
    SCRUB_HOST,
    SCRUB_LABELS,
};

struct scrub {
    struct names words; /* that were replaced */
    struct {
        enum scrub_label label;
        int number;
    } * instead; /* (words.n) */
    size_t cap;
    int count[SCRUB_LABELS];
    name_id *whole; /* (n_whole) hosts and users: looked for as they are, - and . too */
    size_t n_whole, cap_whole;
};

void scrub_init(struct scrub *s);
void scrub_release(struct scrub *s);

/* All of these append to out. A word as a whole, whatever it is; "" stays "". */
void scrub_word(struct scrub *s, struct strbuf *out, const char *word, size_t len,
                enum scrub_label label);
/* A name of the user or machine: replaced wherever it comes later. */
void scrub_forget(struct scrub *s, const char *word, enum scrub_label label);
void scrub_path(struct scrub *s, struct strbuf *out, const char *path, size_t len);
/* A name in a run: of an operator, a kernel, a frame, a module, a mark, a parameter. */
void scrub_code(struct scrub *s, struct strbuf *out, const char *text);
/* A function of the job's own. */
void scrub_function(struct scrub *s, struct strbuf *out, const char *name, size_t len);
/* A sentence: paths, words that look like code, words that were replaced elsewhere; all
 * of a quotation and all behind an exception's name is code. */
void scrub_sentence(struct scrub *s, struct strbuf *out, const char *text);

#endif
