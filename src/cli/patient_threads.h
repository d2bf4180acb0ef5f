/*
 * Threads that wait for each other politely.
 *
 * libgomp's threads spin at the end of each parallel loop, by default 300000 rounds. On
 * an idle machine that is the fastest way to wait. Where other programs want the cores
 * too, a spinning thread burns the very time slice that the thread it waits for needs,
 * and a step, which has hundreds of such loops, takes several times as long. With fewer
 * rounds the threads soon sleep in the kernel instead.
 *
 * libgomp reads its settings when it is loaded, before main(). So the program sets
 * GOMP_SPINCOUNT and starts itself once more, as the same process. It does not where the
 * user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT, nor where GAIT_PATIENT_THREADS is set,
 * which marks the second start (and, set by hand, leaves libgomp as it is).
 *
 * To see the effect, beside two of `yes >/dev/null &` and without them:
 *   for n in 300000 3000; do
 *       GOMP_SPINCOUNT=$n gait train examples/tiny.yaml --steps 100 --warmup-steps 10
 *   done
 */
#ifndef GAIT_CLI_PATIENT_THREADS_H
#define GAIT_CLI_PATIENT_THREADS_H

/* For the commands that train: start again with patient threads, or return where that is
 * done, not wanted or not possible. argv as main() got it. */
void patient_threads(char **argv);
/* In the child that becomes somebody else's program: its threads wait as they like. */
void patient_threads_not_for_this(void);

#endif
