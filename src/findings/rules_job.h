/* Rules about the job around the model: input, intervals, threads, batch, ranks. How a
 * line is made: rule.h. */
#ifndef GAIT_FINDINGS_RULES_JOB_H
#define GAIT_FINDINGS_RULES_JOB_H

#define RULE_LIST_JOB(R)                                                                 \
    R(input_bound, "input-bound", "input starves the step", NEEDS_STEPS, LOW, 1, 0.02,   \
      0.03 /* fetching, of a step */)

#define FIX_LIST_JOB(F)                                                                  \
    F("input-bound",                                                                     \
      "loader = DataLoader(dataset, batch_size=B, num_workers=2,\n"                      \
      "                    persistent_workers=True, prefetch_factor=2,\n"                \
      "                    pin_memory=torch.cuda.is_available())",                       \
      NULL)

#endif
