/*
 * What a finding would change, written down before any replay: so that several findings
 * can be replayed together, and one finding as often as there are questions.
 */
#ifndef GAIT_EVIDENCE_EDIT_LIST_H
#define GAIT_EVIDENCE_EDIT_LIST_H

#include "replay/edits.h"

enum edit_kind {
    EDIT_HOST,     /* of the host's time on `lane` from begin_ns to end_ns, keep stays */
    EDIT_WORK,     /* of the device work `span`, keep stays */
    EDIT_UNBLOCK,  /* the call `span` waits for nothing */
    EDIT_DISPATCH, /* as EDIT_HOST, but whatever stays, calls still launch their work */
};

struct edit {
    enum edit_kind kind;
    int32_t lane;
    int64_t span;
    int64_t begin_ns, end_ns;
    double keep;
};

struct edit_list {
    struct edit *edit; /* (n) */
    size_t n, cap;
};

void edit_list_release(struct edit_list *l);

void edit_list_host(struct edit_list *l, int32_t lane, int64_t begin_ns, int64_t end_ns,
                    double keep);
void edit_list_dispatch(struct edit_list *l, int32_t lane, int64_t begin_ns,
                        int64_t end_ns, double keep);
void edit_list_work(struct edit_list *l, int64_t span, double keep);
void edit_list_unblock(struct edit_list *l, int64_t call);

void edit_list_append(struct edit_list *l, const struct edit_list *more);

/* All of them keep this much instead of what they were added with; calls that are
 * unblocked stay so. */
void edit_list_set_keep(struct edit_list *l, double keep);

/* Device work that a list names twice is changed once, as it says last; what several
 * lists that are applied one after another change is changed by each. */
void edit_list_apply(const struct edit_list *l, struct edits *e);

#endif
