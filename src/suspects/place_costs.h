/*
 * What a place of the source holds of a step of the run: a statement where the run knows
 * lines (gait record), its function where it knows Python frames alone.
 */
#ifndef GAIT_SUSPECTS_PLACE_COSTS_H
#define GAIT_SUSPECTS_PLACE_COSTS_H

#include "evidence/evidence.h"
#include "price/finding.h"
#include "suspects/run_files.h"

/* How well a place was seen. */
enum seen {
    SEEN_NOT_KNOWN, /* the run has neither lines nor frames */
    SEEN_NO_FILE,   /* nothing of its file ran in what was recorded */
    SEEN_CHANGED,   /* the line had another text when the run was made */
    SEEN_NOT_RUN,   /* its file did, the place did not */
    SEEN_FUNCTION,  /* the function around it did */
    SEEN_LINE,      /* the statement did */
};

struct place_cost {
    enum seen seen;
    double holds_ns; /* of a step; NAN: not known */
    double
        most_ns; /* of a step, no more than this would go if all that the place does and
                        asks for took no time; NAN: not known */
};

/* What a finding would change: by lines of the run with all that they call, or by names
 * of the frames around it. */
struct finding_parts {
    double *ns; /* NULL: not asked for yet */
    double all_ns;
};

struct place_costs {
    const struct evidence *e;
    const struct findings *findings;
    struct finding_parts *parts; /* (findings) */
    struct run_files files;
    bool has_lines, has_frames;
    struct place_row *row; /* (n_rows) lines of the rank in linted files */
    size_t n_rows;
    double *sampled;  /* (lines) times that the host was seen there, called lines too */
    double n_samples; /* of all; 0: too few to tell */
    double *work_ns;  /* (lines) of a step, what it asks for: device work, else operators;
                          NULL: not watched */
    double *all_ns;   /* (lines) the same, operators and their device work both */
    double *frame_ns; /* (names) of a step, of a frame of that name; NULL: no frames */
    double *frame_all;       /* (names) the same with the device work launched in it */
    struct open_frame *open; /* (n_open) */
    size_t n_open;
};

/* The evidence and the findings must outlive them. */
void place_costs_init(struct place_costs *c, const struct evidence *e,
                      const struct findings *f, const struct lint_result *lint);
void place_costs_release(struct place_costs *c);

/* The run knows what ran, and that is none of the linted files: another job's. */
bool place_costs_of_another_job(const struct place_costs *c);

struct place_cost place_cost_of(const struct place_costs *c, int32_t file,
                                const struct lint_finding *place);

/* Of what the finding would change, the part that this place asks for: 1 where the finding
 * names the statement. */
double place_share_of(struct place_costs *c, int32_t file,
                      const struct lint_finding *place, size_t finding);

#endif
