/*
 * A view as lines of a terminal, at most one screen of them where the user did not ask
 * for more: tables lose rows, the longest first, down to what each needs to say
 * something.
 *
 * Names in a view are clean, so nothing here can send a control sequence but the colours.
 */
#include "base/text_fit.h"
#include "report/render.h"
#include "report/roofline_text.h"
#include "report/terminal_card.h"
#include "report/terminal_screen.h"

#include <math.h>
#include <string.h>

enum {
    SCREEN_LINES = 24,
    SCREEN_COLUMNS = 100,
    SCREEN_COLUMNS_MIN = 60,
    BAR_COLUMNS_MIN = 8,
    BAR_COLUMNS_MAX = 44,
    ROWS_OF_COMFORT = 2,
    ROOFLINE_LETTERS = 10,
    LAST_SPARED = 1, /* struct block: spare */
};

static const char *const tone_colour[TONE_COUNT] = {
    [TONE_COMPUTE] = "34",  [TONE_COMMUNICATION] = "33", [TONE_COPIES] = "36",
    [TONE_IDLE] = "90",     [TONE_DATA] = "33",          [TONE_FORWARD] = "34",
    [TONE_BACKWARD] = "35", [TONE_OPTIMIZER] = "36",     [TONE_OTHER] = "37",
};

static void style(struct screen *s, const char *code)
{
    if (s->colour)
        strbuf_printf(s->out, "\033[%sm", code);
}

static void print_source(struct screen *s, const struct block *b)
{
    int room = s->columns - text_columns(b->note) - GAP;
    style(s, "1");
    text_shorten(s->out, b->title, s->columns / 2);
    style(s, "0");
    struct strbuf rest;
    strbuf_init(&rest);
    strbuf_printf(&rest, "%*s%s", *b->text ? GAP : 0, "", b->text);
    int used = text_columns(b->title);
    used = used < s->columns / 2 ? used : s->columns / 2;
    int width = text_columns(rest.s);
    if (*b->note && used + width <= room)
        strbuf_printf(&rest, "%*s%s", room + GAP - used - width, "", b->note);
    text_wrap(s->out, rest.s, s->columns, used);
    strbuf_putc(s->out, '\n');
    strbuf_release(&rest);
}

static void print_headline(struct screen *s, const struct block *b)
{
    strbuf_putc(s->out, '\n');
    style(s, "1");
    struct strbuf sentences;
    strbuf_init(&sentences);
    for (size_t i = 0; i < b->n_lines; i++)
        strbuf_printf(&sentences, "%s%s", i ? "  " : "", b->lines[i]);
    text_wrap(s->out, sentences.s, s->columns, 0);
    strbuf_release(&sentences);
    style(s, "0");
    strbuf_putc(s->out, '\n');
}

/* A bar in eighths of a column, so that 1 % still shows. */
static void print_bar(struct screen *s, const struct bar *bar, int columns)
{
    static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    double frac = isfinite(bar->frac) && bar->frac > 0 ? fmin(bar->frac, 1) : 0;
    int eighths = (int)lround(frac * columns * 8);
    if (frac > 0 && !eighths)
        eighths = 1;
    int used = eighths / 8 + (eighths % 8 != 0);
    style(s, tone_colour[bar->tone]);
    strbuf_repeat(s->out, "█", eighths / 8);
    strbuf_puts(s->out, eighth[eighths % 8]);
    style(s, "0");
    strbuf_repeat(s->out, " ", columns - used);
}

struct bar_widths {
    int label, value, share, remark, bar;
};

static struct bar_widths measure_bars(const struct screen *s, const struct bars *bars)
{
    struct bar_widths w = {0};
    for (size_t i = 0; i < bars->n; i++) {
        w.label = larger(w.label, text_columns(bars->bar[i].label));
        w.value = larger(w.value, text_columns(bars->bar[i].value));
        w.share = larger(w.share, text_columns(bars->bar[i].share));
        w.remark = larger(w.remark, text_columns(bars->bar[i].remark));
    }
    int room = s->columns - INDENT - w.label - w.value - w.share - w.remark - 4 * GAP;
    w.bar = room < BAR_COLUMNS_MIN   ? BAR_COLUMNS_MIN
            : room > BAR_COLUMNS_MAX ? BAR_COLUMNS_MAX
                                     : room;
    return w;
}

static void print_bars(struct screen *s, const struct block *b)
{
    struct bar_widths w = measure_bars(s, &b->bars);
    strbuf_printf(s->out, "%s%s\n", s->tight ? "" : "\n", b->title);
    for (size_t i = 0; i < b->bars.n; i++) {
        const struct bar *bar = &b->bars.bar[i];
        strbuf_repeat(s->out, " ", INDENT);
        text_pad(s->out, bar->label, w.label + GAP, false);
        print_bar(s, bar, w.bar);
        text_pad(s->out, bar->value, w.value + GAP, true);
        text_pad(s->out, bar->share, w.share + GAP, true);
        if (*bar->remark)
            strbuf_printf(s->out, "%*s%s", GAP, "", bar->remark);
        strbuf_putc(s->out, '\n');
    }
    if (*b->note)
        strbuf_printf(s->out, "  %s\n", b->note);
}

static void print_text(struct screen *s, const struct block *b)
{
    int indent = text_columns(b->title) + 3;
    style(s, "1");
    strbuf_puts(s->out, b->title);
    style(s, "0");
    strbuf_puts(s->out, ":  ");
    text_wrap(s->out, b->text, s->columns, indent);
    strbuf_putc(s->out, '\n');
}

static void print_footnote(struct screen *s, const struct block *b)
{
    strbuf_repeat(s->out, " ", INDENT);
    text_wrap(s->out, b->text, s->columns, INDENT);
    strbuf_putc(s->out, '\n');
}

static void print_lines(struct screen *s, const struct block *b)
{
    int indent = text_columns(b->title) + 3, widest = 0;
    for (size_t i = 0; i < b->n_lines; i++)
        widest = larger(widest, text_columns(b->lines[i]));
    for (size_t i = 0; i < b->n_lines; i++) {
        style(s, i ? "0" : "1");
        text_pad(s->out, i ? "" : b->title, indent - 3, false);
        style(s, "0");
        strbuf_puts(s->out, i ? "   " : ":  ");
        bool fits = indent + widest + GAP + text_columns(b->notes[i]) <= s->columns;
        if (b->kind == BLOCK_WARNINGS) /* where and what was lost must not be cut */
            text_wrap(s->out, b->lines[i], s->columns, indent);
        else if (b->kind != BLOCK_NEXT)
            text_shorten(s->out, b->lines[i], s->columns - indent);
        else if (!fits)
            strbuf_puts(s->out, b->lines[i]); /* a command is never broken */
        else
            strbuf_printf(s->out, "%s%*s%s", b->lines[i],
                          widest + GAP - text_columns(b->lines[i]), "", b->notes[i]);
        strbuf_putc(s->out, '\n');
    }
}

/* An empty line stands where the kind of thing changes, but bars keep what explains
 * them. */
static bool wants_gap(const struct screen *s, size_t i)
{
    const struct view *v = s->view;
    enum block_kind kind = v->blocks[i].kind;
    enum block_kind before = i ? v->blocks[i - 1].kind : kind;
    if (kind == BLOCK_NEXT)
        return !s->compact;
    if (kind == BLOCK_DOUBT)
        return true;
    if (kind == BLOCK_TABLE && s->tight)
        return false;
    if (kind == BLOCK_TABLE && s->compact)
        return before != BLOCK_TABLE;
    if (kind == BLOCK_TABLE)
        return before != BLOCK_TABLE ||
               !terminal_same_columns(&v->blocks[i].grid, &v->blocks[i - 1].grid);
    return kind == BLOCK_TEXT && (before == BLOCK_HEADLINE || before == BLOCK_CARD);
}

static void print_block(struct screen *s, size_t i)
{
    const struct block *b = &s->view->blocks[i];
    if (s->leave_out && b->spare >= s->leave_out)
        return;
    if (wants_gap(s, i))
        strbuf_putc(s->out, '\n');
    switch (b->kind) {
    case BLOCK_SOURCE:
        print_source(s, b);
        break;
    case BLOCK_HEADLINE:
        print_headline(s, b);
        break;
    case BLOCK_BARS:
        print_bars(s, b);
        break;
    case BLOCK_TABLE:
        terminal_table(s, b);
        break;
    case BLOCK_DOUBT:
    case BLOCK_TEXT:
        print_text(s, b);
        break;
    case BLOCK_LIST:
    case BLOCK_WARNINGS:
    case BLOCK_NEXT:
        print_lines(s, b);
        break;
    case BLOCK_FOOTNOTE:
        print_footnote(s, b);
        break;
    case BLOCK_CARD:
        terminal_card(s->out, b, s->columns, s->colour);
        break;
    case BLOCK_ROOFLINE:
        roofline_text(s->out, &b->roofline, ROOFLINE_LETTERS);
        break;
    case BLOCK_CHART:
    case BLOCK_TIMELINE:
    case BLOCK_ROADMAP:
    case BLOCK_MATRIX:
    case BLOCK_HEAT:
    case BLOCK_BAR_PAIR:
    case BLOCK_CHANGES:
    case BLOCK_FLAME:
        break; /* pictures: the HTML report has them */
    }
}

static size_t count_lines(const struct strbuf *text)
{
    size_t n = 0;
    for (size_t i = 0; i < text->len; i++)
        n += text->s[i] == '\n';
    return n;
}

static void print_blocks(struct screen *s)
{
    for (size_t i = 0; i < s->view->n; i++)
        print_block(s, i);
}

/* The table that can best spare a row: the one with most rows beyond its least. */
static struct grid *longest_table(struct view *v)
{
    struct grid *longest = NULL;
    size_t most = 0;
    for (size_t i = 0; i < v->n; i++) {
        struct grid *t = &v->blocks[i].grid;
        if (v->blocks[i].kind != BLOCK_TABLE || t->n_rows <= t->min_rows)
            continue;
        if (t->n_rows - t->min_rows >= most) {
            most = t->n_rows - t->min_rows;
            longest = t;
        }
    }
    return longest;
}

/* Rows that may go while every table keeps a few more than its least. */
static size_t rows_to_spare(const struct view *v)
{
    size_t spare = 0;
    for (size_t i = 0; i < v->n; i++) {
        const struct grid *t = &v->blocks[i].grid;
        if (v->blocks[i].kind == BLOCK_TABLE && t->n_rows > t->min_rows + ROWS_OF_COMFORT)
            spare += t->n_rows - t->min_rows - ROWS_OF_COMFORT;
    }
    return spare;
}

static size_t count_screen(struct screen *s)
{
    struct strbuf *out = s->out, trial;
    strbuf_init(&trial);
    s->out = &trial;
    print_blocks(s);
    size_t lines = count_lines(&trial);
    s->out = out;
    strbuf_release(&trial);
    return lines;
}

static void drop_row(struct grid *t)
{
    size_t row_bytes = t->n_columns * sizeof *t->cells;
    if (t->keep_last && t->n_rows > 1)
        memmove(t->cells + (t->n_rows - 2) * t->n_columns,
                t->cells + (t->n_rows - 1) * t->n_columns, row_bytes);
    t->n_rows--;
}

/* The least that must go, of what can be spared, so that so many lines are enough. Long
 * cells are rather shortened than the last block left out: other views have them whole.
 */
static size_t leave_out(struct screen *s, size_t lines, size_t most)
{
    int highest = 0;
    for (size_t i = 0; i < s->view->n; i++)
        highest = larger(highest, s->view->blocks[i].spare);
    for (s->leave_out = highest + 1; lines > most && s->leave_out > 1;) {
        if (s->leave_out - 1 == LAST_SPARED && !s->no_below)
            s->no_below = true;
        else
            s->leave_out--;
        lines = count_screen(s);
    }
    return lines;
}

/* Rows go first; empty lines only where the tables would become too short; then whole
 * blocks that a report has anyway. */
static void fit_screen(struct screen *s, struct view *v)
{
    size_t lines = count_screen(s);
    size_t most = (size_t)larger(v->options.lines, SCREEN_LINES);
    if (lines > most + rows_to_spare(v)) {
        s->compact = true;
        lines = count_screen(s);
    }
    for (struct grid *t; lines > most && (t = longest_table(v)); lines--)
        drop_row(t);
    if (lines > most && v->options.top <= 0)
        lines = leave_out(s, lines, most);
    s->tight = lines > most;
}

void render_terminal(struct strbuf *out, struct view *v)
{
    int columns = v->options.columns > 0 ? v->options.columns : SCREEN_COLUMNS;
    struct screen s = {.out = out,
                       .view = v,
                       .columns = larger(columns, SCREEN_COLUMNS_MIN),
                       .colour = v->options.colour};
    fit_screen(&s, v);
    print_blocks(&s);
}
