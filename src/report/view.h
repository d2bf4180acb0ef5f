/*
 * A report as blocks in reading order, built once from an analysis; terminal, Markdown
 * and HTML draw the blocks and know nothing of runs.
 *
 * All text in a view is clean (text_fit.h) but not escaped: each renderer escapes for its
 * own syntax. All of it lives in the view's arena. Figures that do not exist are "N/A"
 * with the reason in a note; a NaN never becomes text.
 *
 * To add a section: write view_add_<section>() in a view_*.c, call it in view_new().
 */
#ifndef GAIT_REPORT_VIEW_H
#define GAIT_REPORT_VIEW_H

#include "base/arena.h"
#include "report/report.h"
#include "whatif/answer.h"

/* What a colour means; the same in every chart of the report. */
#define VIEW_TONES(X)                                                                    \
    X(COMPUTE, "compute")                                                                \
    X(COMMUNICATION, "communication")                                                    \
    X(COPIES, "copies")                                                                  \
    X(IDLE, "idle")                                                                      \
    X(DATA, "data")                                                                      \
    X(FORWARD, "forward")                                                                \
    X(BACKWARD, "backward")                                                              \
    X(OPTIMIZER, "optimizer")                                                            \
    X(OTHER, "other")

#define VIEW_TONE_VALUE(v, css) TONE_##v,
enum tone { VIEW_TONES(VIEW_TONE_VALUE) TONE_COUNT };
extern const char *const tone_css[TONE_COUNT];

struct bar {
    const char *label;
    const char *value;  /* with its unit */
    const char *share;  /* "62.0 %", or "" */
    const char *remark; /* or "" */
    double frac;        /* length, 0..1; NAN draws nothing */
    enum tone tone;
};

struct bars {
    struct bar *bar; /* (n) */
    size_t n;
    bool parts_of_whole; /* the fractions add up to 1 */
};

/* The same parts of two wholes, on one scale. */
struct bar_pair {
    struct bars side[SIDES];
    const char *label[SIDES]; /* of each whole, with its length */
};

/* A change against zero: to the left less, to the right more. */
struct change_bar {
    const char *label, *value; /* the change, with its unit */
    double frac;               /* -1..1 of the largest change */
};

struct changes {
    struct change_bar *bar; /* (n) */
    size_t n;
};

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct column {
    const char *title;
    enum align align;
    bool is_name; /* text of the recording: may be shortened, shown as code */
    bool wraps;   /* on a terminal never shortened: below its row where room is short */
};

struct cell {
    const char *text;
    double sort;      /* what HTML sorts by; NAN: by text */
    const char *full; /* the name that the text is short for; NULL: it is the text */
    const char *file; /* beside the page, that the text leads to; NULL: none */
};

struct grid {
    struct column *columns; /* (n_columns) */
    size_t n_columns;
    struct cell *cells; /* (n_rows, n_columns) */
    size_t n_rows, cap_rows;
    size_t total_rows; /* with those that are not shown */
    size_t sum_rows; /* of them, sums over the others: the caption does not count them */
    size_t min_rows; /* a renderer short of room may drop rows down to this */
    bool searchable; /* long: HTML adds a filter */
    bool stacks;     /* on a phone the last column stands below the others */
    bool keep_last;  /* dropping rows spares the last one: it is the other extreme */
};

struct chart_series {
    const char *name;
    enum tone tone;
    double *x, *y, *y_error; /* (n) finite; y_error 0 where not estimated */
    size_t n;
};

struct chart {
    const char *x_label, *y_label;
    bool x_counts; /* whole numbers: no ticks between them */
    bool y_from_zero;
    struct chart_series *series; /* (n) */
    size_t n;
};

/* A dot an operator under the ceilings of its device, both axes logarithmic. */
struct roofline_point {
    const char *name, *text;          /* text: its figures */
    double flop_per_byte, flop_per_s; /* finite, above 0 */
    enum tone tone;
};

struct roofline {
    struct roofline_point *point; /* (n) */
    size_t n;
    double peak_flop_per_s, peak_bytes_per_s; /* NAN: not known */
    const char *peak_label, *slope_label;     /* or "" */
    const char *unit;                         /* of the axis upwards */
    double unit_flop_per_s;
};

struct timeline_span {
    uint32_t lane;  /* index into lanes */
    uint32_t depth; /* 0: called by nothing on its lane */
    enum span_kind kind;
    name_id name, shapes, line;
    int64_t begin_ns; /* since the window's begin; may be negative */
    int64_t dur_ns;
    int64_t slack_ns; /* how much longer it may take; -1: not known */
};

/* A stretch of the critical path. */
struct timeline_piece {
    uint32_t lane;
    int64_t begin_ns, end_ns; /* as of spans */
};

/* What a finding is about: a stretch of a lane. */
struct timeline_mark {
    uint32_t finding, lane;
    int64_t begin_ns, end_ns; /* as of spans */
};

struct timeline_lane {
    const char *name;
    enum lane_kind kind;
    uint32_t rows;   /* deepest span drawn, plus one */
    bool other_rank; /* all of another rank: its device work above, collectives below */
};

/* A step of the whole recording, or a stretch of it where there are no steps: what part
 * of its time went where. */
struct timeline_map_bar {
    int64_t begin_ns, end_ns; /* as of spans */
    int64_t step;             /* its number; -1: no step */
    double compute_frac, communication_frac, copies_frac;
};

struct timeline {
    const struct analysis *a;    /* names and labels */
    struct timeline_span *spans; /* (n_spans) by lane, then begin */
    size_t n_spans;
    struct timeline_piece *path; /* (n_path) first to last */
    size_t n_path;
    struct timeline_mark *marks; /* (n_marks) by finding, lane, begin */
    size_t n_marks;
    struct timeline_lane *lanes; /* (n_lanes) host first, then devices, other ranks */
    size_t n_lanes;
    struct timeline_map_bar *map; /* (n_map) the whole recording, in order */
    size_t n_map;
    size_t steps_per_bar;  /* of the map: more than 1 where there are too many to draw */
    bool on_host;          /* the map is of a host thread: there is no device */
    size_t left_out_short; /* spans that are not drawn: too many, and shorter */
    size_t left_out_deep;  /* nested too deep to draw */
    size_t left_out_lanes; /* on lanes beyond the limit */
    int64_t window_ns;     /* the step, or what is shown of the recording */
    bool cut;              /* no steps: only the first part is shown */
};

/* A finding. Its lines are labels, its notes what they say; measured and predicted
 * figures stand apart. */
struct card {
    const char *tag;           /* P1 … */
    size_t number;             /* from 1, as it is told */
    const char *holds, *after; /* its row: measured, predicted */
    const char *effort;
    const char *of;                   /* what the figures are of: "a step" */
    const char *now;                  /* measured */
    const char *predicted, *measured; /* after the fix */
    const char *code[2];              /* (n_code) the fix; may have several lines */
    const char *code_label[2];
    size_t n_code;
};

/* From the measured step down, a fix after another, as they were replayed together. */
struct roadmap_bar {
    const char *label, *measured, *predicted; /* "": not there */
    double from_frac, to_frac;                /* of the measured step */
    bool whole;                               /* a step, not what a fix takes off it */
};

struct roadmap {
    struct roadmap_bar *bar; /* (n) */
    size_t n;
};

/* Gain against effort: the numbers of the findings in each field. */
struct matrix {
    const char *field[PRIORITY_COUNT]; /* "1, 3"; "" */
};

/* What each rank waited in each of a few collectives. */
struct heat_cell {
    double frac;      /* 0..1 of the longest wait; NAN: not known */
    const char *text; /* of the wait, with its unit; "" where it is not known */
};

struct heat {
    const char **rows;       /* (n_rows) names of the ranks */
    const char **columns;    /* (n_columns) the collectives */
    struct heat_cell *cells; /* (n_rows, n_columns) */
    size_t n_rows, n_columns;
    const char *longest; /* wait, which has the full colour */
};

/* Calls of one name from one place, with all that they called. */
struct flame_node {
    uint32_t depth;
    uint32_t name; /* index into names */
    enum span_kind kind;
    int64_t host_ns, device_ns, count;
};

struct flame {
    struct flame_node *node; /* (n) parents first, in the order of their first calls */
    size_t n;
    const char **names; /* (n_names) */
    size_t n_names;
    int64_t host_ns, device_ns; /* of all that nothing called */
    size_t left_out;            /* nodes that are too small to draw */
};

enum block_kind {
    BLOCK_SOURCE,   /* text: facts about what was read; title: its name */
    BLOCK_DOUBT,    /* text: why the answer below may be about nothing */
    BLOCK_HEADLINE, /* lines: the answer, a sentence each */
    BLOCK_TEXT,     /* text: a paragraph */
    BLOCK_BARS,
    BLOCK_BAR_PAIR,
    BLOCK_CHANGES,
    BLOCK_TABLE,
    BLOCK_CHART,
    BLOCK_ROOFLINE,
    BLOCK_TIMELINE,
    BLOCK_LIST,     /* lines */
    BLOCK_WARNINGS, /* lines */
    BLOCK_FOOTNOTE, /* text: small print that belongs to what stands before it */
    BLOCK_CARD,
    BLOCK_ROADMAP,
    BLOCK_MATRIX,
    BLOCK_HEAT,
    BLOCK_FLAME,
    BLOCK_NEXT, /* lines: a command; notes: what it gives */
};

struct block {
    enum block_kind kind;
    bool detail;        /* belongs under the section before it: a smaller heading */
    int spare;          /* on a full screen left out, the highest first; 0: never */
    const char *title;  /* or "" */
    const char *text;   /* or "" */
    const char *note;   /* small print after it, or "" */
    const char **lines; /* (n_lines) */
    const char **notes; /* (n_lines), or NULL */
    size_t n_lines, cap_lines;
    union {
        struct bars bars;
        struct bar_pair pair;
        struct changes changes;
        struct grid grid;
        struct chart chart;
        struct roofline roofline;
        struct timeline timeline;
        struct card card;
        struct roadmap roadmap;
        struct matrix matrix;
        struct heat heat;
        struct flame flame;
    };
};

struct view {
    struct arena arena;
    struct block *blocks; /* (n) in reading order */
    size_t n, cap;
    const struct analysis *a;
    struct report_options options;
    enum report_format format;
    size_t shown; /* the rank whose details are shown: struct analysis */
};

/* The analysis and its run must outlive the view. Free with view_free(). */
struct view *view_new(const struct analysis *a, enum report_format format,
                      const struct report_options *options);
struct view *view_new_comparison(const struct comparison *c, enum report_format format,
                                 const struct report_options *options);
/* One finding: its evidence, its price, its fix. */
struct view *view_new_finding(const struct analysis *a, size_t finding,
                              const struct report_options *options);
/* What was looked for: all rules, found or not; `rule`: this one alone. */
struct view *view_new_rules(const struct analysis *a, const struct rule *rule,
                            const struct report_options *options);
/* Answers to a reader's own questions. */
struct view *view_new_answers(const struct analysis *a, const struct answers *answers,
                              const struct report_options *options);
void view_free(struct view *v); /* NULL is fine */

#endif
