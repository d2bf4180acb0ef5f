/* Facts that the reader of an execution trace adds to a run, for who judges its rows. */
#ifndef GAIT_RUN_EXECUTION_FACTS_H
#define GAIT_RUN_EXECUTION_FACTS_H

/* 1: a storage was read that no call has written to. Something outside of operators writes,
 * and so reads as well: what looks unread may not be. */
#define EXECUTION_FACT_UNSEEN_WRITER "execution.unseen_writer"

#endif
