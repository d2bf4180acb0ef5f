/*
 * SIGINT and SIGTERM ask the training to save and leave after the present step; a second
 * one leaves at once.
 *
 * Legal order: stop_signal_watch, stop_signal_seen …, stop_signal_release.
 */
#ifndef GAIT_TRAIN_STOP_SIGNAL_H
#define GAIT_TRAIN_STOP_SIGNAL_H

void stop_signal_watch(void);
int stop_signal_seen(void); /* the signal's number, or 0 */
/* Back to what signals did before. */
void stop_signal_release(void);

#endif
