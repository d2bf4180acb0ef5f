/* The pages of docs/ that messages name, in the program itself: a wheel has no docs/. The
 * table is made from the files when the program is built (scripts/make-pages). */
#ifndef GAIT_CLI_PAGE_H
#define GAIT_CLI_PAGE_H

struct page {
    const char *path; /* "docs/rules/input-bound.md" */
    const char *text, *end;
};

extern const struct page page_list[]; /* the last one has no path */

/* By its path or by its name alone, "input-bound", a rule of lint by its code too,
 * "GT101"; NULL: there is none. */
const struct page *page_find(const char *word);

#endif
