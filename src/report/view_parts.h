/*
 * What the sections of a view are made with, and their list. Private to the view_*.c
 * files.
 *
 * A block returned by view_block() is valid until the next view_block().
 */
#ifndef GAIT_REPORT_VIEW_PARTS_H
#define GAIT_REPORT_VIEW_PARTS_H

#include "report/view.h"

/* Names are shown up to this many columns outside the terminal; JSON has them whole. */
enum { VIEW_NAME_COLUMNS = 240, VIEW_FULL_NAME_COLUMNS = 4000 };

/* Whoever asks for more than the first screen gets it whole. */
enum { VIEW_LINES_ASKED_FOR = 100000 };

/* What a full screen leaves out, the last of these first; a report has all of it. */
enum { SPARE_ACCOUNT = 1, SPARE_WORK, SPARE_DEVICE_OPS, SPARE_HOST_OPS, SPARE_MEMORY };

static inline bool view_is_screen(const struct view *v)
{
    return v->format == REPORT_TERMINAL;
}

/* A view without blocks. */
struct view *view_open(const struct analysis *a, enum report_format format,
                       const struct report_options *options);
struct block *view_block(struct view *v, enum block_kind kind, const char *title);
void view_line(struct view *v, struct block *b, const char *line, const char *note);

/* Text in the view's arena. Arguments of view_printf are clean already. */
const char *view_printf(struct view *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *view_name(struct view *v, name_id id);
const char *view_clean(struct view *v, const char *s);

/* Figures as text; "N/A" for what is not finite. */
const char *view_percent(struct view *v, double frac);           /* 62.0 % */
const char *view_number(struct view *v, double x, int decimals); /* 1,234.5 */
/* How many decimals a column of figures needs whose largest is this. */
int decimals_for(double largest);

/* A table: the columns first, then rows; cells are filled from left to right. */
void grid_open(struct view *v, struct block *b, size_t columns, size_t max_rows);
void grid_column(struct block *b, size_t i, const char *title, enum align align,
                 bool is_name);
struct cell *grid_row(struct block *b); /* NULL where max_rows are in it */
struct cell cell_text(const char *text);
struct cell cell_sorted(const char *text, double sort);
/* An operator: `shown` is its label, `name` as it was recorded. */
struct cell cell_op(struct view *v, const char *shown, const char *name);
struct cell cell_number(struct view *v, double x, int decimals);
struct cell cell_rank(struct view *v, int number); /* a name, not a quantity: 1234 */
struct cell cell_percent(struct view *v, double frac);

void bars_open(struct view *v, struct block *b, size_t max_bars);
struct bar *bars_add(struct block *b);

/* The rank whose details are shown; NULL in an empty run. */
const struct analysis_rank *view_rank(const struct view *v);
/* " of rank 3" where there are several, else "". */
const char *view_of_rank(struct view *v);
/* The row's number as a person knows it: the job's rank, or the row where none is said.
 */
int rank_number(const struct analysis *a, size_t rank_index);
/* The step where steps are known, else the whole recording. */
const struct time_split *rank_window(const struct analysis_rank *r);
/* Is this row of run->facts a measured ceiling of the shown rank's machine? */
bool view_is_ceiling(const struct view *v, size_t fact);
/* "matmul 80.1, … GFLOP/s (counted …)" of the ops with most counted work, or "". */
const char *view_counted_text(struct view *v);
/* Is this row of run->facts a sum of counted work, which has a section of its own? */
bool view_is_work_fact(const struct view *v, size_t fact);
/* Did the shown rank train by itself on the CPU, so that its work is told by *e? */
bool view_has_host_work(const struct view *v, struct efficiency *e);
/* Lines of threads, counters and allocations; the first of them for the screen. */
void view_lines_of_step(struct view *v, struct block *b);
void view_add_threads(struct view *v);
/* Its operators under its ceilings. */
void view_fill_roofline(struct view *v, struct roofline *r, const struct efficiency *e);
double split_frac(const struct time_split *split, enum time_class what);
double ns_to_ms(int64_t ns);

/* The subject as a word of a shell command, or a placeholder. */
const char *view_subject(struct view *v);
/* The same with --graph, where it was given: for commands that tell findings. */
const char *view_subject_graph(struct view *v);
/* Text from a finding, whole. */
const char *view_told(struct view *v, const char *s);
/* "input", "forward" … "between phases" */
const char *view_phase_label(enum phase p);
/* By which clock a step is told, as it stands behind its length; "" of the host's. */
const char *view_step_clock(struct view *v, const struct step_time *s);
/* "117.5 ms", with digits by its size. */
const char *view_step_ms(struct view *v, double ns);
/* "117.5 ms (−33 %)": predicted, from the measured step. */
const char *view_predicted(struct view *v, double step_ns, double gain_ns);
/* "−33 %", "−1.2 %" */
const char *view_change(struct view *v, double step_ns, double gain_ns);

/* "105.4 to 144.2 ms", "at least 105.4 ms", "up to 144.2 ms" */
const char *view_interval(struct view *v, double step_ns, const struct gain *g);
/* The same as words: "90 % within 105.4 to 144.2 ms" */
const char *view_interval_words(struct view *v, double step_ns, const struct gain *g);
/* Both with as many digits as the step has. */
const char *view_part_ms(struct view *v, double step_ns, double ns);
/* "; replayed unchanged, …" where the replay does not give the measured steps back well;
 * else "". */
const char *view_replay_doubt(struct view *v, const struct findings *f);
void view_add_card(struct view *v, const struct findings *f, size_t i);

/* The row of the step that the timeline is of; -1: no step is kept. */
int32_t view_timeline_step(const struct view *v);
/* What of the findings lies on drawn lanes and in the window. lane_index: (lanes of the
 * run) place in t->lanes plus 1, or 0. */
void timeline_add_marks(struct view *v, struct timeline *t, const struct findings *f,
                        const uint32_t *lane_index, int64_t origin_ns);

/* The whole recording of the shown rank, step by step. */
void timeline_add_map(struct view *v, struct timeline *t, int64_t origin_ns);
/* The other ranks, a lane each, in the step of this row; returns what is to be said of
 * them, or "". */
const char *timeline_add_ranks(struct view *v, struct timeline *t, int32_t step,
                               int64_t origin_ns);

/* The sections, in reading order. */
void view_add_summary(struct view *v);
void view_add_source(struct view *v);
void view_add_doubt(struct view *v);
void view_add_headline(struct view *v);
void view_add_where_time_goes(struct view *v);
void view_add_account(struct view *v);
void view_add_timeline(struct view *v);
enum { FINDINGS_KEPT_WHEN_SHORT = 3 }; /* rows, on a screen with little room */
void view_add_findings(struct view *v);
void view_add_waits(struct view *v);
void view_add_ranks(struct view *v);
void view_add_heat(struct view *v);
void view_add_skew(struct view *v);
void view_add_devices(struct view *v);
void view_add_flame(struct view *v);
void view_add_operators(struct view *v);
void view_add_counted_work(struct view *v);
void view_add_study(struct view *v);
void view_add_study_tables(struct view *v);
void view_add_study_headline(struct view *v, struct block *b);
void view_add_work(struct view *v);
void view_add_losses(struct view *v);
void view_add_memory(struct view *v);
void view_add_memory_curve(struct view *v, enum origin origin); /* after its bars */
void view_add_ceilings(struct view *v);
/* Of a comparison, in HTML: its bars and its largest changes as pictures. */
void view_add_pair(struct view *v, const struct comparison *c);
void view_add_changes(struct view *v, const struct comparison *c);
void view_add_warnings(struct view *v);
void view_add_lanes(struct view *v);
void view_add_method(struct view *v);
void view_add_facts(struct view *v);
void view_add_next(struct view *v);

#endif
