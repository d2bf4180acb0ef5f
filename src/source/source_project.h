/*
 * Several files as one program: which function leads to which, what runs in every
 * training step. Files that the given ones import are read too, for what they tell of
 * the given ones.
 *
 * Legal order: source_project_read, any questions, source_project_release.
 */
#ifndef GAIT_SOURCE_SOURCE_PROJECT_H
#define GAIT_SOURCE_SOURCE_PROJECT_H

#include "base/names.h"
#include "source/source_query.h"

struct source_input {
    const char *path;
    const char *text; /* (len); NULL: what the file holds */
    size_t len;
};

struct source_unit {
    const char *path;
    const char *folder;  /* absolute, or as given where it is not there */
    bool imported;       /* by another unit */
    bool given;          /* else only imported by those */
    const char *failure; /* why it could not be read; NULL: it was */
    enum status status;
    struct source_file file; /* empty where it could not be read */
    uint64_t program_words
        [SOURCE_WORD_SETS]; /* of all files of the programs that this one is part of */
    int32_t *imports;       /* (n_imports) units */
    int32_t n_imports;
};

struct source_project {
    struct arena text;
    const struct source_query *query;
    struct source_unit *units; /* the given ones first, in the order given */
    size_t n, cap;
    struct names folders; /* real folders by folders as written */
    const char **real;    /* (folders) */
    size_t cap_real;
    struct names paths;    /* of files, with their real folder */
    int32_t *unit_of_path; /* (paths), -1: no such file */
    size_t cap_paths;
};

enum { SOURCE_IMPORTED_MAX = 2000 }; /* files read only because they are imported */

/* threads: at least 1. Files that cannot be read are units with a failure. The caller
 * releases *p. */
void source_project_read(struct source_project *p, const struct source_query *q,
                         const struct source_input *inputs, size_t n, int threads);
void source_project_release(struct source_project *p);

/* The unit of a module as a file imports it: "a.b", ".b"; -1: none of the project. Reads
 * no file; `add`: one that is there becomes a unit. */
int32_t source_module_find(struct source_project *p, int32_t unit, const char *module,
                           bool add);

/* Which branches are off by the options of their program: source_options.c. */
void source_choices_decide(struct source_project *p);

/* Follows calls through all units: sets loops, roles and words. */
void source_link(struct source_project *p);

#endif
