/* From hits to findings: those whose conditions hold for the whole program. */
#include "lint/lint_check.h"

#include "base/mem.h"
#include "base/path.h"
#include "lint/lint_counts.h"
#include "lint/lint_once.h"
#include "source/source_project.h"

#include <pthread.h>
#include <string.h>

void lint_result_release(struct lint_result *r)
{
    for (size_t i = 0; i < r->n; i++) {
        mem_free(r->files[i].findings);
        mem_free(r->files[i].comments);
    }
    mem_free(r->files);
    arena_release(&r->text);
}

static struct source_query *rules_query;

static void read_rules(void)
{
    const char **texts = mem_zalloc(lint_rule_count + 1, sizeof *texts);
    for (size_t i = 0; i < lint_rule_count; i++)
        texts[i] = lint_rules[i].query;
    rules_query = source_query_new(texts, lint_rule_count);
    mem_free(texts);
}

/* The rules never change, so they are read once and kept. */
static const struct source_query *query_of_rules(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_rules);
    return rules_query;
}

static void copy_edits(struct arena *a, struct lint_finding *to,
                       const struct source_hit *from)
{
    struct lint_edit *edits = arena_alloc(a, (size_t)from->n_edits * sizeof *edits + 1);
    for (int32_t i = 0; i < from->n_edits; i++)
        edits[i] = (struct lint_edit){from->edits[i].begin, from->edits[i].end,
                                      arena_strdup(a, from->edits[i].text)};
    to->edits = edits;
    to->n_edits = (size_t)from->n_edits;
    to->safety = !from->n_edits ? LINT_ADVICE : from->safe ? LINT_SAFE : LINT_UNSAFE;
}

/* The statement and the function around it, as Python and its traces name it. Of a loop's
 * or branch's head the cause alone: the body is no part of it. */
static void place_in_program(struct arena *a, struct lint_finding *f,
                             const struct source_facts *facts, int32_t place)
{
    const struct source_statement *s = source_statement_at(facts, f->begin, f->end);
    f->statement_line = s ? s->line : f->line;
    f->statement_end_line = s ? s->end_line : f->end_line;
    int32_t row = source_function_of(facts, place);
    const struct source_function *fn = row < 0 ? NULL : &facts->functions[row];
    f->function = !fn ? "<module>" : *fn->name ? arena_strdup(a, fn->name) : "<lambda>";
    f->function_line = fn ? fn->first_line : 1;
    f->function_end_line = fn ? fn->end_line : INT32_MAX;
    f->in_step = source_in_step(facts, place, true) ||
                 source_in_role(facts, place, ROLE_STEP | ROLE_FORWARD | ROLE_LOADER);
}

static struct lint_finding finding_of(struct arena *a, const struct source_facts *facts,
                                      const struct source_hit *h)
{
    const struct lint_rule *rule = &lint_rules[h->query];
    struct lint_finding f = {
        .rule = rule,
        .begin = h->begin,
        .end = h->end,
        .line = h->line,
        .column = h->column,
        .end_line = h->end_line,
        .end_column = h->end_column,
        .source = arena_strdup(a, h->source),
        .caret = h->caret,
        .caret_width = h->caret_width,
        .advice = *h->advice ? arena_strdup(a, h->advice) : rule->fix,
    };
    place_in_program(a, &f, facts, h->place);
    if (!facts->error_line) /* what is not all Python is told, not changed */
        copy_edits(a, &f, h);
    return f;
}

/* float(loss.item()) is two hits and one finding: the outer one, which comes first. */
static bool is_known(const struct lint_file *file, const struct source_hit *h)
{
    enum { LOOK_BACK_MAX = 16 };
    for (size_t i = file->n, k = 0; i-- > 0 && k < LOOK_BACK_MAX; k++) {
        const struct lint_finding *f = &file->findings[i];
        if (f->rule == &lint_rules[h->query] &&
            (f->line == h->line || (f->begin <= h->begin && h->end <= f->end)))
            return true;
    }
    return false;
}

static bool is_told(const struct lint_file *file, const struct lint_rule *rule)
{
    for (size_t i = 0; i < file->n; i++)
        if (file->findings[i].rule == rule)
            return true;
    return false;
}

/* Findings of a file that wait for the same work, so far. */
struct wait_row {
    int32_t turn, place; /* place: of its first */
    uint32_t after;
};

struct wait_rows {
    struct wait_row *row;
    size_t n, cap;
};

/* Numbers from 1. Two ways of one if never wait for each other. */
static int32_t row_of(struct wait_rows *rows, const struct source_facts *facts,
                      const struct source_hit *h)
{
    if (!h->wait_turn)
        return 0;
    for (size_t i = 0; i < rows->n; i++)
        if (rows->row[i].turn == h->wait_turn && rows->row[i].after == h->wait_after &&
            !source_places_exclude(facts, rows->row[i].place, h->place))
            return (int32_t)i + 1;
    vec_grow(rows->row, rows->cap, rows->n + 1);
    rows->row[rows->n++] = (struct wait_row){h->wait_turn, h->place, h->wait_after};
    return (int32_t)rows->n;
}

static void place_in_row(struct lint_finding *f, struct wait_rows *rows,
                         const struct source_facts *facts, const struct source_hit *h)
{
    f->row = row_of(rows, facts, h);
    f->row_depth = source_branches_within(facts, h->place, h->wait_turn);
    f->row_wraps = h->wait_wraps;
}

/* once: (rules), of this unit */
static void take_findings(struct lint_result *r, struct lint_file *file,
                          const struct source_project *p, const struct source_unit *u,
                          const struct lint_check_options *o, const bool *once)
{
    struct wait_rows rows = {0};
    for (size_t i = 0; i < u->file.n_hits; i++) {
        const struct source_hit *h = &u->file.hits[i];
        if (o->wants && !o->wants(o->context, &lint_rules[h->query], file->path))
            continue;
        if (is_known(file, h) ||
            !source_hit_holds(p->query, &u->file, h, u->program_words))
            continue;
        if (h->once && (!once[h->query] || is_told(file, &lint_rules[h->query])))
            continue;
        vec_grow(file->findings, file->cap, file->n + 1);
        file->findings[file->n++] = finding_of(&r->text, &u->file.facts, h);
        place_in_row(&file->findings[file->n - 1], &rows, &u->file.facts, h);
    }
    mem_free(rows.row);
}

static void take_comments(struct lint_result *r, struct lint_file *file,
                          const struct source_file *from)
{
    for (size_t i = 0; i < from->n_comments; i++) {
        const struct source_comment *c = &from->comments[i];
        vec_grow(file->comments, file->cap_comments, file->n_comments + 1);
        file->comments[file->n_comments++] = (struct lint_comment){
            .begin = c->begin,
            .end = c->end,
            .line_begin = c->line_begin,
            .line_end = c->line_end,
            .line = c->line,
            .column = c->column,
            .alone = c->begin - c->blanks == c->line_begin,
            .blanks = c->blanks,
            .text = arena_strdup(&r->text, c->text),
            .source = arena_strdup(&r->text, c->source),
        };
    }
}

static void take_joined(struct lint_result *r, struct lint_file *file,
                        const struct source_file *from)
{
    struct lint_joined *joined =
        arena_alloc(&r->text, from->n_joined * sizeof *joined + 1);
    for (size_t i = 0; i < from->n_joined; i++)
        joined[i] = (struct lint_joined){from->joined[i].line, from->joined[i].end_line};
    file->joined = joined;
    file->n_joined = from->n_joined;
}

static void take_file(struct lint_result *r, const struct source_project *p,
                      const struct source_unit *u, const struct lint_input *input,
                      const struct lint_check_options *o, const bool *once)
{
    vec_grow(r->files, r->cap, r->n + 1);
    struct lint_file *file = &r->files[r->n++];
    *file = (struct lint_file){.path = arena_strdup(&r->text, u->path),
                               .error_line = u->file.facts.error_line,
                               .hash = u->file.hash,
                               .text = input->text,
                               .len = input->len};
    if (u->failure)
        file->failure = arena_strdup(&r->text, u->failure);
    take_findings(r, file, p, u, o, once);
    take_comments(r, file, &u->file);
    take_joined(r, file, &u->file);
}

enum status lint_check(struct lint_result *r, const struct lint_input *inputs, size_t n,
                       const struct lint_check_options *o, struct err *err)
{
    if (!source_available()) {
        struct source_file none;
        return source_file_read(&none, NULL, "", 0, "", err);
    }
    struct source_input *sources = mem_zalloc(n + 1, sizeof *sources);
    for (size_t i = 0; i < n; i++)
        sources[i] = (struct source_input){inputs[i].path, inputs[i].text, inputs[i].len};
    struct source_project p;
    source_project_read(&p, query_of_rules(), sources, n, o->threads);
    *r = (struct lint_result){.looked_up = p.n - n};
    arena_init(&r->text);
    bool *once = lint_once(&p);
    for (size_t i = 0; i < n; i++)
        take_file(r, &p, &p.units[i], &inputs[i], o, once + i * lint_rule_count);
    mem_free(once);
    source_project_release(&p);
    mem_free(sources);
    return STATUS_OK;
}

static struct cause cause_of(const struct lint_file *file, const struct lint_finding *f)
{
    const char *line = f->source + strspn(f->source, " ");
    const char *function = f->function ? f->function : ""; /* a comment has none */
    return (struct cause){.rule = f->rule->code,
                          .place = cause_place(3, path_name(file->path), function, line)};
}

void lint_set_ids(struct lint_result *r)
{
    struct cause *cause = mem_zalloc(lint_counts_of(r).findings + 1, sizeof *cause);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->files[i].n; k++)
            cause[n++] = cause_of(&r->files[i], &r->files[i].findings[k]);
    cause_ids_set(cause, n);
    n = 0;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->files[i].n; k++)
            r->files[i].findings[k].id = cause[n++].id;
    mem_free(cause);
}
