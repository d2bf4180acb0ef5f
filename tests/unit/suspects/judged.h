/* Findings of lint made by hand, judged by a run. */
#ifndef GAIT_TESTS_SUSPECTS_JUDGED_H
#define GAIT_TESTS_SUSPECTS_JUDGED_H

#include "cmocka_setup.h"

#include "suspects/suspects.h"

#include <math.h>
#include <string.h>

enum { JUDGED_FILES_MAX = 4, JUDGED_FINDINGS_MAX = 8 };

/* Legal order: judged_init, judged_add …, judge, judged_release. */
struct judged {
    struct lint_file files[JUDGED_FILES_MAX];
    struct lint_finding findings[JUDGED_FILES_MAX][JUDGED_FINDINGS_MAX];
    struct lint_rule rules[JUDGED_FILES_MAX][JUDGED_FINDINGS_MAX];
    struct lint_result lint;
    struct analysis *analysis;
    struct findings *told;
    struct suspects suspects;
};

static inline void judged_init(struct judged *j)
{
    *j = (struct judged){.lint = {.files = j->files}};
}

static inline struct lint_file *judged_file(struct judged *j, const char *path)
{
    for (size_t i = 0; i < j->lint.n; i++)
        if (!strcmp(j->files[i].path, path))
            return &j->files[i];
    size_t i = j->lint.n++;
    j->files[i] = (struct lint_file){.path = path, .findings = j->findings[i]};
    return &j->files[i];
}

/* In a function of lines first to last; ask for the answer by the number of the call. */
static inline struct lint_finding *judged_add(struct judged *j, const char *path,
                                              int32_t line, const char *function,
                                              int32_t first, int32_t last,
                                              const char *priced_by)
{
    struct lint_file *file = judged_file(j, path);
    struct lint_rule *rule = &j->rules[file - j->files][file->n];
    struct lint_finding *f = &file->findings[file->n++];
    *rule = (struct lint_rule){.code = "GT999", .name = "x", .priced_by = priced_by};
    *f = (struct lint_finding){.rule = rule,
                               .line = line,
                               .end_line = line,
                               .statement_line = line,
                               .statement_end_line = line,
                               .function = function,
                               .function_line = first,
                               .function_end_line = last,
                               .in_step = true,
                               .source = ""};
    return f;
}

static inline void judge(struct judged *j, const struct run *run)
{
    j->analysis = analysis_new(run);
    j->told = findings_new(run, j->analysis);
    suspects_init(&j->suspects, &j->lint, run, j->analysis, j->told);
}

static inline void judged_release(struct judged *j)
{
    suspects_release(&j->suspects);
    findings_free(j->told);
    analysis_free(j->analysis);
}

static inline const struct suspect *verdict_is(const struct judged *j, size_t i,
                                               enum suspect_verdict verdict)
{
    const struct suspect *x = &j->suspects.suspect[i];
    if (x->verdict != verdict)
        fail_msg("%s", x->price);
    return x;
}

#define assert_says(text, part)                                                          \
    do {                                                                                 \
        if (!strstr(text, part))                                                         \
            fail_msg("\"%s\" is not in \"%s\"", part, text);                             \
    } while (0)

#endif
