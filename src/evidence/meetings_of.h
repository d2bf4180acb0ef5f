/*
 * What collectives cost a step, apart: waiting for the last rank to come, and the rest,
 * each as far as compute does not hide it.
 */
#ifndef GAIT_EVIDENCE_MEETINGS_OF_H
#define GAIT_EVIDENCE_MEETINGS_OF_H

#include "evidence/evidence.h"

/* The rank that comes last, and what that costs the others. */
struct late_rank {
    int32_t row;       /* -1: nobody, or the ranks' clocks were not aligned */
    double alone_ns;   /* median over the steps: all could go on so much sooner if it
                          came with the next one, less what other ranks cost; traced */
    double longest_ns; /* of that, at one meeting: median over the steps */
    double spread_ns;  /* half of what lies between the tenths of the steps */
    size_t steps;      /* that have meetings */
    size_t late_steps; /* of them, in which it cost more than the others did */
};

struct late_rank meetings_late(const struct evidence *e);

/* Collectives of the evidence's rank, a step of the window, traced. Several at a time
 * count once. */
struct meetings_cost {
    double count;
    double bytes;      /* 0: not recorded */
    double total_ns;   /* from begin to end */
    double exposed_ns; /* of that, what compute does not hide */
    double waiting_ns; /* of what is exposed, until the last rank came */
    double longest_ns; /* of that, at one meeting of a step */
    double last_ns;    /* exposed of those that end last in their steps */
    bool waits_known;  /* other ranks are there and their clocks aligned */
};

struct meetings_cost meetings_cost(const struct evidence *e);

/* Exposed time a step of those collectives, by name, of which compute hides at most this
 * part: a broadcast after the step beside all-reduces in the backward pass. */
double meetings_hardly_hidden_ns(const struct evidence *e, double hidden_frac);

#endif
