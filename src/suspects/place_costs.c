#include "suspects/place_costs.h"

#include "base/mem.h"
#include "evidence/host_time.h"
#include "evidence/watched.h"
#include "price/statements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So often the same statement may stand around itself: recursion. */
enum { CALLERS_MOST = 256 };

struct place_row {
    int32_t file, number, row; /* linted file, line of it, row of run->lines */
};

static int compare_rows(const void *a, const void *b)
{
    const struct place_row *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void collect_rows(struct place_costs *c)
{
    const struct lines *l = &c->e->run->lines;
    c->row = mem_alloc((l->table.n + 1) * sizeof *c->row);
    for (size_t i = 0; i < l->table.n; i++) {
        int32_t file = c->files.file[l->file[i]];
        if (l->rank[i] == c->e->rank_row && file >= 0)
            c->row[c->n_rows++] = (struct place_row){file, l->line[i], (int32_t)i};
    }
    if (c->n_rows)
        qsort(c->row, c->n_rows, sizeof *c->row, compare_rows);
}

/* --- lines --- */

/* What each has, and all that it calls: callers stand before those they call. */
static void add_called(const struct run *run, double *of_line)
{
    for (size_t i = run->lines.table.n; i-- > 0;)
        if (run->lines.caller[i] >= 0)
            of_line[run->lines.caller[i]] += of_line[i];
}

static void count_samples(struct place_costs *c)
{
    const struct run *run = c->e->run;
    const struct host_samples *s = &run->host_samples;
    c->sampled = mem_zalloc(run->lines.table.n + 1, sizeof *c->sampled);
    if (!host_time_known(c->e))
        return;
    for (size_t i = 0; i < s->table.n; i++) {
        int32_t line = s->line[i] >= 0 ? s->line[i] : s->inner[i];
        if (s->rank[i] != c->e->rank_row)
            continue;
        c->n_samples += (double)s->count[i];
        if (line >= 0)
            c->sampled[line] += (double)s->count[i];
    }
    add_called(run, c->sampled);
}

static double work_within(const struct evidence *e, int32_t lane,
                          const struct host_op *op)
{
    size_t last, i = evidence_work(e, lane, op->begin_ns, op->end_ns, &last);
    double ns = 0;
    for (; i < last; i++)
        ns += (double)e->run->spans.dur_ns[e->work[i].span];
    return ns;
}

/* Of a step as it is told, what was added up over all steps of the window. */
static double of_step(const struct evidence *e, double ns)
{
    return evidence_of_step_ns(e, ns / (double)e->steps);
}

static void add_up_work(struct place_costs *c)
{
    const struct evidence *e = c->e;
    const struct watched *w = e->watched;
    size_t lines = e->run->lines.table.n;
    if (!w || !lines)
        return;
    c->work_ns = mem_zalloc(lines + 1, sizeof *c->work_ns);
    c->all_ns = mem_zalloc(lines + 1, sizeof *c->all_ns);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            int32_t line =
                watched_begins(w, k, t, i) ? watched_line(w, w->call[k][i]) : -1;
            if (line >= 0)
                c->all_ns[line] += of_step(e, (double)host_op_ns(&t->op[i]) +
                                                  work_within(e, t->lane, &t->op[i]));
        }
    }
    for (size_t i = 0; i < lines; i++)
        c->work_ns[i] = of_step(e, w->line_ns[i]);
    add_called(e->run, c->work_ns);
    add_called(e->run, c->all_ns);
}

/* --- frames --- */

static bool in_frame_of_its_name(const struct evidence *e, const struct host_thread *t,
                                 const struct host_op *frame)
{
    name_id name = e->run->spans.name[frame->span];
    for (int32_t i = frame->frame; i >= 0; i = t->op[i].frame)
        if (e->run->spans.name[t->op[i].span] == name)
            return true;
    return false;
}

static void add_up_frames(struct place_costs *c)
{
    const struct evidence *e = c->e;
    struct frame_name name;
    c->frame_ns = mem_zalloc(e->run->names.n + 1, sizeof *c->frame_ns);
    c->frame_all = mem_zalloc(e->run->names.n + 1, sizeof *c->frame_all);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            if (op->kind != SPAN_KIND_PYTHON ||
                !frame_name_read(&name, evidence_name(e, op)))
                continue;
            c->has_frames = true;
            if (in_frame_of_its_name(e, t, op))
                continue;
            name_id id = e->run->spans.name[op->span];
            double ns = (double)host_op_ns(op);
            c->frame_ns[id] += of_step(e, ns);
            c->frame_all[id] += of_step(e, ns + work_within(e, t->lane, op));
        }
    }
}

/* A function that was entered before the window and left in it or later: the loop that
 * trains. No operator of the evidence has it for its frame. */
struct open_frame {
    name_id name;
    int32_t lane;
    int64_t begin_ns, end_ns;
};

static void find_open_frames(struct place_costs *c)
{
    const struct run *run = c->e->run;
    const struct spans *s = &run->spans;
    struct frame_name name;
    size_t cap = 0;
    for (size_t i = 0; i < s->table.n; i++) {
        int64_t begin_ns = s->begin_ns[i], end_ns = begin_ns + s->dur_ns[i];
        if (s->kind[i] == SPAN_KIND_PYTHON && s->lane[i] >= 0 &&
            run->lanes.rank[s->lane[i]] == c->e->rank_row &&
            begin_ns < c->e->whatif.window.begin_ns &&
            end_ns > c->e->whatif.window.begin_ns &&
            frame_name_read(&name, run_name(run, s->name[i]))) {
            vec_grow(c->open, cap, c->n_open + 1);
            c->open[c->n_open++] =
                (struct open_frame){s->name[i], s->lane[i], begin_ns, end_ns};
        }
    }
}

static void add_open_frames(struct place_costs *c)
{
    const struct evidence *e = c->e;
    for (size_t i = 0; i < c->n_open; i++) {
        const struct open_frame *o = &c->open[i];
        struct host_op part = {.begin_ns = e->whatif.window.begin_ns,
                               .end_ns = o->end_ns < e->whatif.window.end_ns
                                             ? o->end_ns
                                             : e->whatif.window.end_ns};
        double ns = (double)host_op_ns(&part);
        c->has_frames = true;
        c->frame_ns[o->name] += of_step(e, ns);
        c->frame_all[o->name] += of_step(e, ns + work_within(e, o->lane, &part));
    }
}

/* The innermost that was open then, -1: none. */
static int64_t open_frame_at(const struct place_costs *c, int32_t lane, int64_t at_ns)
{
    const struct open_frame *innermost = NULL;
    for (size_t i = 0; i < c->n_open; i++) {
        const struct open_frame *o = &c->open[i];
        if (o->lane == lane && at_ns < o->end_ns &&
            (!innermost || o->begin_ns >= innermost->begin_ns))
            innermost = o;
    }
    return innermost ? (int64_t)innermost->name : -1;
}

void place_costs_init(struct place_costs *c, const struct evidence *e,
                      const struct findings *f, const struct lint_result *lint)
{
    *c = (struct place_costs){.e = e, .findings = f};
    c->parts = mem_zalloc(f->n + 1, sizeof *c->parts);
    run_files_init(&c->files, e->run, lint);
    collect_rows(c);
    for (size_t i = 0; i < e->run->lines.table.n; i++)
        c->has_lines |= e->run->lines.rank[i] == e->rank_row;
    count_samples(c);
    add_up_work(c);
    if (!c->has_lines) {
        add_up_frames(c);
        find_open_frames(c);
        add_open_frames(c);
    }
}

void place_costs_release(struct place_costs *c)
{
    run_files_release(&c->files);
    mem_free(c->row);
    mem_free(c->sampled);
    mem_free(c->work_ns);
    mem_free(c->all_ns);
    mem_free(c->frame_ns);
    mem_free(c->frame_all);
    mem_free(c->open);
    for (size_t i = 0; i < c->findings->n; i++)
        mem_free(c->parts[i].ns);
    mem_free(c->parts);
}

/* --- a place --- */

/* First row of the file from this line on; c->n_rows: there is none. */
static size_t rows_from(const struct place_costs *c, int32_t file, int32_t line)
{
    size_t low = 0, high = c->n_rows;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct place_row *r = &c->row[mid];
        if (r->file < file || (r->file == file && r->number < line))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct row_range {
    size_t first, end;
};

static struct row_range rows_of(const struct place_costs *c, int32_t file,
                                const struct lint_finding *place)
{
    return (struct row_range){rows_from(c, file, place->statement_line),
                              rows_from(c, file, place->statement_end_line + 1)};
}

static bool is_within(const struct place_costs *c, struct row_range r, int32_t line)
{
    for (size_t i = r.first; i < r.end; i++)
        if (c->row[i].row == line)
            return true;
    return false;
}

/* Does one of the statement's rows stand around this one? */
static bool is_called_from(const struct place_costs *c, struct row_range r, int32_t line)
{
    const int32_t *caller = c->e->run->lines.caller;
    line = caller[line];
    for (int n = 0; line >= 0 && n < CALLERS_MOST; n++, line = caller[line])
        if (is_within(c, r, line))
            return true;
    return false;
}

/* Of what lines have with all that they call: of the statement, each once. */
static double sum_of(const struct place_costs *c, struct row_range r,
                     const double *called)
{
    double sum = 0;
    for (size_t i = r.first; i < r.end; i++)
        if (!is_called_from(c, r, c->row[i].row))
            sum += called[c->row[i].row];
    return sum;
}

/* Blanks apart; both may be cut. */
static bool same_text(const char *a, const char *b)
{
    enum { CUT_LEAST = 60 };
    for (int n = 0;; n++, a++, b++) {
        a += strspn(a, " \t");
        b += strspn(b, " \t");
        if (*a != *b || !*a)
            return (!*a && !*b) || n >= CUT_LEAST;
    }
}

static bool is_changed(const struct place_costs *c, int32_t file,
                       const struct lint_finding *place)
{
    const struct lines *l = &c->e->run->lines;
    for (size_t i = rows_from(c, file, place->line);
         i < rows_from(c, file, place->line + 1); i++) {
        const char *text = run_name(c->e->run, l->text[c->row[i].row]);
        if (*text && *place->source && !same_text(text, place->source))
            return true;
    }
    return false;
}

/* Nine in ten times a count is not larger than this if so many were seen. */
static double most_of_count(double n)
{
    return n + 3 + 2 * sqrt(n);
}

static struct place_cost cost_of_line(const struct place_costs *c, int32_t file,
                                      const struct lint_finding *place)
{
    struct place_cost x = {.seen = SEEN_LINE, .holds_ns = NAN, .most_ns = NAN};
    struct row_range r = rows_of(c, file, place);
    double sampled = sum_of(c, r, c->sampled), a_sample_ns = 0;
    if (r.first == r.end || is_changed(c, file, place)) {
        x.seen = is_changed(c, file, place)                          ? SEEN_CHANGED
                 : rows_from(c, file, 0) < rows_from(c, file + 1, 0) ? SEEN_NOT_RUN
                                                                     : SEEN_NO_FILE;
        return x;
    }
    if (c->n_samples > 0) {
        a_sample_ns = c->e->step_ns / c->n_samples;
        x.holds_ns = sampled * a_sample_ns;
    }
    if (c->work_ns)
        x.holds_ns = fmax(sampled * a_sample_ns, sum_of(c, r, c->work_ns));
    if (c->work_ns && c->n_samples > 0)
        x.most_ns = most_of_count(sampled) * a_sample_ns + sum_of(c, r, c->all_ns);
    return x;
}

/* Is a frame of this name of the function, or of a comprehension of the statement? */
static bool is_frame_of(const struct place_costs *c, int32_t file,
                        const struct lint_finding *place, name_id name, bool *inner)
{
    struct frame_name f;
    if (c->files.file[name] != file || !frame_name_read(&f, run_name(c->e->run, name)))
        return false;
    *inner = f.function[0] == '<' && strcmp(f.function, "<module>") != 0 &&
             f.line >= place->statement_line && f.line <= place->statement_end_line;
    /* a frame that was open when the tracer began has the line it was at */
    return *inner ||
           (!strcmp(f.function, place->function) && f.line >= place->function_line &&
            f.line <= place->function_end_line);
}

static struct place_cost cost_of_function(const struct place_costs *c, int32_t file,
                                          const struct lint_finding *place)
{
    struct place_cost x = {.seen = SEEN_NO_FILE, .holds_ns = 0, .most_ns = 0};
    bool inner;
    for (size_t i = 0; i < c->e->run->names.n; i++) {
        if (c->files.file[i] != file)
            continue;
        if (!is_frame_of(c, file, place, (name_id)i, &inner)) {
            x.seen = x.seen == SEEN_NO_FILE ? SEEN_NOT_RUN : x.seen;
        } else if (!inner || !strcmp(place->function, "<lambda>")) {
            x.seen = SEEN_FUNCTION; /* its time is not known where no span is kept */
            x.holds_ns += c->frame_ns[i] > 0 ? c->frame_ns[i] : NAN;
            x.most_ns += c->frame_ns[i] > 0 ? c->frame_all[i] : NAN;
        }
    }
    if (x.seen != SEEN_FUNCTION)
        x.holds_ns = x.most_ns = NAN;
    return x;
}

struct place_cost place_cost_of(const struct place_costs *c, int32_t file,
                                const struct lint_finding *place)
{
    if (c->has_lines)
        return cost_of_line(c, file, place);
    if (c->has_frames)
        return cost_of_function(c, file, place);
    return (struct place_cost){SEEN_NOT_KNOWN, NAN, NAN};
}

bool place_costs_of_another_job(const struct place_costs *c)
{
    if (c->has_lines)
        return !c->n_rows;
    for (size_t i = 0; i < c->e->run->names.n; i++)
        if (c->files.file[i] != NO_FILE)
            return false;
    return c->has_frames;
}

/* --- its part of a finding --- */

static double part_of(double part, double all)
{
    return all > 0 ? fmin(1, part / all) : 0;
}

static struct finding_parts parts_by_lines(const struct place_costs *c,
                                           const struct edit_list *edits)
{
    const struct run *run = c->e->run;
    struct finding_parts p = {statements_edited(c->e, edits), 0};
    for (size_t i = 0; i < run->lines.table.n; i++)
        p.all_ns += p.ns[i];
    add_called(run, p.ns);
    return p;
}

/* The name of the frame that an edit of the host lies in; -1: none, or it is of a device.
 */
static int64_t frame_of_edit(const struct place_costs *c, const struct edit *edit,
                             double *ns)
{
    const struct evidence *e = c->e;
    bool unblocks = edit->kind == EDIT_UNBLOCK;
    if (edit->kind == EDIT_WORK)
        return -1;
    int64_t begin_ns = unblocks ? e->run->spans.begin_ns[edit->span] : edit->begin_ns;
    int32_t lane = unblocks ? e->run->spans.lane[edit->span] : edit->lane;
    *ns = unblocks ? (double)e->run->spans.dur_ns[edit->span]
                   : (double)(edit->end_ns - edit->begin_ns);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        size_t i = t->lane == lane ? host_ops_before(t, begin_ns) : t->n;
        if (i < t->n && t->op[i].frame >= 0)
            return e->run->spans.name[t->op[t->op[i].frame].span];
    }
    return open_frame_at(c, lane, begin_ns);
}

static struct finding_parts parts_by_frames(const struct place_costs *c,
                                            const struct edit_list *edits)
{
    struct finding_parts p = {mem_zalloc(c->e->run->names.n + 1, sizeof *p.ns), 0};
    for (size_t i = 0; i < edits->n; i++) {
        double ns;
        int64_t name = frame_of_edit(c, &edits->edit[i], &ns);
        if (name < 0)
            continue;
        p.ns[name] += ns;
        p.all_ns += ns;
    }
    return p;
}

/* Of what finding k would change: by lines with all that they call, or by names of frames.
 * Made once. */
static const struct finding_parts *parts_of(struct place_costs *c, size_t k)
{
    struct finding_parts *p = &c->parts[k];
    if (!p->ns && c->has_lines)
        *p = parts_by_lines(c, &c->findings->finding[k].edits);
    else if (!p->ns)
        *p = parts_by_frames(c, &c->findings->finding[k].edits);
    return p;
}

/* Where no edits say what it would change: does the finding name a caller of it, or what
 * it calls? By the samples in both. */
static double share_by_callers(const struct place_costs *c, struct row_range r,
                               const struct finding *x)
{
    const int32_t *caller = c->e->run->lines.caller;
    double told = 0, here = 0;
    for (size_t i = 0; i < x->n_lines; i++) {
        told += c->sampled[x->line[i]];
        here += is_called_from(c, r, x->line[i]) ? c->sampled[x->line[i]] : 0;
    }
    for (size_t i = r.first; i < r.end; i++)
        for (int32_t line = caller[c->row[i].row], n = 0; line >= 0 && n < CALLERS_MOST;
             line = caller[line], n++)
            for (size_t k = 0; k < x->n_lines; k++)
                if (x->line[k] == line)
                    here += c->sampled[c->row[i].row];
    return part_of(here, told);
}

static double share_by_frames(const struct place_costs *c, int32_t file,
                              const struct lint_finding *place,
                              const struct finding_parts *p)
{
    double here = 0;
    bool inner;
    for (size_t i = 0; i < c->e->run->names.n; i++)
        if (p->ns[i] > 0 && is_frame_of(c, file, place, (name_id)i, &inner))
            here += p->ns[i];
    return part_of(here, p->all_ns);
}

double place_share_of(struct place_costs *c, int32_t file,
                      const struct lint_finding *place, size_t finding)
{
    const struct finding *x = &c->findings->finding[finding];
    if (!c->has_lines)
        return c->has_frames ? share_by_frames(c, file, place, parts_of(c, finding)) : 0;
    struct row_range r = rows_of(c, file, place);
    if (r.first == r.end || is_changed(c, file, place))
        return 0;
    for (size_t i = 0; i < x->n_lines; i++)
        if (is_within(c, r, x->line[i]))
            return 1;
    if (!c->e->watched || !x->edits.n)
        return share_by_callers(c, r, x);
    const struct finding_parts *p = parts_of(c, finding);
    return part_of(sum_of(c, r, p->ns), p->all_ns);
}
