#include "report/view_parts.h"

#include "base/mem.h"
#include "base/text_fit.h"
#include "base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct block *view_block(struct view *v, enum block_kind kind, const char *title)
{
    vec_grow(v->blocks, v->cap, v->n + 1);
    struct block *b = &v->blocks[v->n++];
    memset(b, 0, sizeof *b);
    b->kind = kind;
    b->title = title;
    b->text = b->note = "";
    return b;
}

void view_line(struct view *v, struct block *b, const char *line, const char *note)
{
    if (b->n_lines == b->cap_lines) {
        size_t cap = b->cap_lines ? 2 * b->cap_lines : 8;
        const char **lines = arena_alloc(&v->arena, cap * sizeof *lines);
        const char **notes = arena_alloc(&v->arena, cap * sizeof *notes);
        for (size_t i = 0; i < b->n_lines; i++) {
            lines[i] = b->lines[i];
            notes[i] = b->notes[i];
        }
        b->lines = lines;
        b->notes = notes;
        b->cap_lines = cap;
    }
    b->lines[b->n_lines] = line;
    b->notes[b->n_lines++] = note;
}

const char *view_printf(struct view *v, const char *fmt, ...)
{
    struct strbuf text;
    va_list args;
    strbuf_init(&text);
    va_start(args, fmt);
    strbuf_vprintf(&text, fmt, args);
    va_end(args);
    const char *kept = arena_strndup(&v->arena, text.s, text.len);
    strbuf_release(&text);
    return kept;
}

const char *view_clean(struct view *v, const char *s)
{
    return text_clean(&v->arena, s, VIEW_NAME_COLUMNS);
}

const char *view_name(struct view *v, name_id id)
{
    return view_clean(v, run_name(v->a->run, id));
}

const char *view_percent(struct view *v, double frac)
{
    return isfinite(frac) ? view_printf(v, "%.1f %%", 100 * frac) : "N/A";
}

const char *view_number(struct view *v, double x, int decimals)
{
    return view_printf(v, "%s", unit_number(x, decimals).s);
}

int decimals_for(double largest)
{
    return largest >= 10000 ? 0 : largest >= 100 ? 1 : largest >= 10 ? 2 : 3;
}

void grid_open(struct view *v, struct block *b, size_t columns, size_t max_rows)
{
    struct grid *t = &b->grid;
    t->columns = arena_alloc(&v->arena, columns * sizeof *t->columns);
    t->n_columns = columns;
    t->cells = arena_alloc(&v->arena, columns * max_rows * sizeof *t->cells);
    t->cap_rows = max_rows;
    t->min_rows = max_rows;
}

void grid_column(struct block *b, size_t i, const char *title, enum align align,
                 bool is_name)
{
    if (i >= b->grid.n_columns)
        BUG("column %zu of %zu", i, b->grid.n_columns);
    b->grid.columns[i] = (struct column){title, align, is_name, false};
}

struct cell *grid_row(struct block *b)
{
    struct grid *t = &b->grid;
    t->total_rows++;
    return t->n_rows == t->cap_rows ? NULL : &t->cells[t->n_columns * t->n_rows++];
}

struct cell cell_text(const char *text)
{
    return (struct cell){text, NAN, NULL, NULL};
}

struct cell cell_sorted(const char *text, double sort)
{
    return (struct cell){text, sort, NULL, NULL};
}

struct cell cell_op(struct view *v, const char *shown, const char *name)
{
    bool same = !strcmp(shown, name);
    return (struct cell){
        view_clean(v, shown), NAN,
        same ? NULL : text_clean(&v->arena, name, VIEW_FULL_NAME_COLUMNS), NULL};
}

struct cell cell_number(struct view *v, double x, int decimals)
{
    return cell_sorted(view_number(v, x, decimals), x);
}

struct cell cell_rank(struct view *v, int number)
{
    return cell_sorted(view_printf(v, "%d", number), number);
}

struct cell cell_percent(struct view *v, double frac)
{
    return cell_sorted(view_percent(v, frac), frac);
}

void bars_open(struct view *v, struct block *b, size_t max_bars)
{
    b->bars.bar = arena_alloc(&v->arena, max_bars * sizeof *b->bars.bar);
}

struct bar *bars_add(struct block *b)
{
    struct bar *bar = &b->bars.bar[b->bars.n++];
    *bar = (struct bar){"", "", "", "", NAN, TONE_OTHER};
    return bar;
}

const struct analysis_rank *view_rank(const struct view *v)
{
    return v->a->n_ranks ? &v->a->ranks[v->shown] : NULL;
}

const char *view_of_rank(struct view *v)
{
    if (v->a->n_ranks < 2)
        return "";
    return view_printf(v, " of rank %d", rank_number(v->a, v->shown));
}

int rank_number(const struct analysis *a, size_t rank_index)
{
    int32_t row = a->ranks[rank_index].row;
    int32_t number = a->run->ranks.rank[row];
    return number >= 0 ? number : row;
}

const struct time_split *rank_window(const struct analysis_rank *r)
{
    return r->step_split.known ? &r->step_split : &r->whole;
}

double split_frac(const struct time_split *split, enum time_class what)
{
    if (!split->known || split->ns[TIME_CLASS_SPAN] <= 0)
        return NAN;
    return (double)split->ns[what] / (double)split->ns[TIME_CLASS_SPAN];
}

double ns_to_ms(int64_t ns)
{
    return (double)ns / 1e6;
}
