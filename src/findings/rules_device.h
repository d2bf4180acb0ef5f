/* Rules about an accelerator and how the host drives it. How a line is made: rule.h. */
#ifndef GAIT_FINDINGS_RULES_DEVICE_H
#define GAIT_FINDINGS_RULES_DEVICE_H

#define RULE_LIST_DEVICE(R)                                                              \
    R(host_wait, "host-wait", "the host waits for the device", NEEDS_DEVICE, LOW, 0,     \
      0.02, LIMIT(0.02, "waiting, of a step"),                                           \
      LIMIT(8, "times where there are no steps"))                                        \
    R(blocking_copy, "blocking-copy", "copies block the host", NEEDS_DEVICE, LOW, 0,     \
      0.02, LIMIT(0.02, "blocked, of a step"),                                           \
      LIMIT(8, "times where there are no steps"), LIMIT(0.5, "of the gain, the least"))  \
    R(pageable_copy, "pageable-copy", "copies use pageable memory", NEEDS_DEVICE, LOW,   \
      1, 0.02, LIMIT(0.02, "lost, of a step"), LIMIT(1e6, "bytes that tell a rate"))     \
    R(launch_bound, "launch-bound", "the host launches too slowly", NEEDS_DEVICE,        \
      MEDIUM, 1, 0.05, LIMIT(0.3, "idle for the host, of a step"),                       \
      LIMIT(10, "launches a step"), LIMIT(0.5, "of the host's work stays"),              \
      LIMIT(1e6, "ns between launches, the most"))                                       \
    R(allocator_churn, "allocator-churn", "device memory is allocated in every step",    \
      NEEDS_DEVICE, LOW, 0, 0.02, LIMIT(0.02, "held, of a step"),                        \
      LIMIT(0.5, "of the steps have it"))                                                \
    R(tensor_cores_unused, "tensor-cores-unused",                                        \
      "products do not use the matrix units", NEEDS_DEVICE, LOW, 0, 0.02,                \
      LIMIT(0.05, "held, of a step"), LIMIT(1.5, "listed peaks, tf32 over f32"))

#define FIX_LIST_DEVICE(F)                                                               \
    F("host-wait",                                                                       \
      "total += loss.detach()                # stays on the device\n"                    \
      "if step % 50 == 0:\n"                                                             \
      "    print(step, (total / 50).item())  # one wait in 50 steps\n"                   \
      "    total.zero_()",                                                               \
      NULL)                                                                              \
    F("blocking-copy",                                                                   \
      "loader = DataLoader(dataset, batch_size=B, pin_memory=True)\n"                    \
      "for x, y in loader:\n"                                                            \
      "    x = x.to(device, non_blocking=True)\n"                                        \
      "    y = y.to(device, non_blocking=True)",                                         \
      NULL)                                                                              \
    F("pageable-copy",                                                                   \
      "buffer = torch.empty(shape, pin_memory=True)  # once, not in the loop\n"          \
      "buffer.copy_(batch)\n"                                                            \
      "x = buffer.to(device, non_blocking=True)",                                        \
      NULL)                                                                              \
    F("launch-bound",                                                                    \
      "model = torch.compile(model, mode=\"reduce-overhead\")  # captures CUDA graphs",  \
      NULL)                                                                              \
    F("allocator-churn",                                                                 \
      "# in the shell, before Python starts: blocks that grow instead of being "         \
      "replaced\n"                                                                       \
      "unset PYTORCH_NO_CUDA_MEMORY_CACHING\n"                                           \
      "export PYTORCH_ALLOC_CONF=expandable_segments:True\n"                             \
      "# in the loop: no torch.cuda.empty_cache()",                                      \
      NULL)                                                                              \
    F("tensor-cores-unused",                                                             \
      "torch.set_float32_matmul_precision(\"high\")    # f32 products as tf32\n"         \
      "torch.backends.cudnn.allow_tf32 = True        # convolutions too",                \
      NULL)

#endif
