/* Rules about an accelerator and how the host drives it. How a line is made: rule.h. */
#ifndef GAIT_FINDINGS_RULES_DEVICE_H
#define GAIT_FINDINGS_RULES_DEVICE_H

#define RULE_LIST_DEVICE(R)                                                              \
    R(host_wait, "host-wait", "the host waits for the device",                           \
      NEEDS_STEPS | NEEDS_DEVICE, LOW, 0, 0.01, 0.01 /* waiting, of a step */)

#define FIX_LIST_DEVICE(F)                                                               \
    F("host-wait",                                                                       \
      "total += loss.detach()                # stays on the device\n"                    \
      "if step % 50 == 0:\n"                                                             \
      "    print(step, (total / 50).item())  # one wait in 50 steps\n"                   \
      "    total.zero_()",                                                               \
      NULL)

#endif
