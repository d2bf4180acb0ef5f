/*
 * While a recorded job runs, its hook asks which calls the job could be run without
 * (flow/flow_plan.h): the number of its process in a pipe with a name, answered by a file
 * beside it. docs/record.md
 */
#ifndef GAIT_CLI_RECORD_PLANS_H
#define GAIT_CLI_RECORD_PLANS_H

struct record_plans;

/* Answers from now on, in a thread of its own. NULL where there can be no such pipe: the
 * hook then measures nothing of it. */
struct record_plans *record_plans_start(const char *folder);
void record_plans_stop(struct record_plans *p); /* NULL is fine */

#endif
