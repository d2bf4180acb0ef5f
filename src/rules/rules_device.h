/* Rules about an accelerator and how the host drives it. How a line is made: rule.h. */
#ifndef GAIT_RULES_RULES_DEVICE_H
#define GAIT_RULES_RULES_DEVICE_H

#define RULE_LIST_DEVICE(R)                                                              \
    R(host_wait, "host-wait", "host blocked on the GPU", NEEDS_DEVICE, LOW, 0, 0.02,     \
      LIMIT(0.02, "waiting, of a step"), LIMIT(8, "times where there are no steps"))     \
    R(blocking_copy, "blocking-copy", "blocking copies", NEEDS_DEVICE, LOW, 0, 0.02,     \
      LIMIT(0.02, "blocked, of a step"), LIMIT(8, "times where there are no steps"),     \
      LIMIT(0.5, "of the gain, the least"))                                              \
    R(pageable_copy, "pageable-copy", "copies from pageable memory", NEEDS_DEVICE, LOW,  \
      1, 0.02, LIMIT(0.02, "lost, of a step"), LIMIT(1e6, "bytes that tell a rate"))     \
    R(launch_bound, "launch-bound", "kernel launch overhead", NEEDS_DEVICE, MEDIUM, 1,   \
      0.05, LIMIT(0.3, "idle for the host, of a step"), LIMIT(10, "launches a step"),    \
      LIMIT(0.5, "of the host's work stays"),                                            \
      LIMIT(1e6, "ns between launches, the most"))                                       \
    R(allocator_churn, "allocator-churn", "device memory allocated in every step",       \
      NEEDS_STEPS | NEEDS_DEVICE, LOW, 0, 0.02, LIMIT(0.02, "held, of a step"),          \
      LIMIT(0.5, "of the steps have it"))                                                \
    R(tensor_cores_unused, "tensor-cores-unused", "matmuls without Tensor Cores",        \
      NEEDS_DEVICE | NEEDS_PEAKS, LOW, 0, 0.02, LIMIT(0.05, "held, of a step"),          \
      LIMIT(1.5, "listed peaks, tf32 over f32"))                                         \
    R(kernels_unfused, "kernels-unfused", "unfused elementwise kernels",                 \
      NEEDS_DEVICE | NEEDS_TORCH, MEDIUM, 1, 0.05, LIMIT(4, "kernels of a chain"),       \
      LIMIT(0.1, "in chains, of a step"), LIMIT(0.2, "unfused, of the kernels' time"))   \
    R(host_work_first, "host-work-first", "host work before the first launch",           \
      NEEDS_STEPS | NEEDS_DEVICE | NEEDS_TORCH, MEDIUM, 0, 0.05,                         \
      LIMIT(0.1, "idle, of a step"), LIMIT(0.5, "of the steps have it"),                 \
      LIMIT(1e6, "ns: the least"))                                                       \
    R(atypical_recording, "atypical-recording", "recording without a typical step",      \
      NEEDS_DEVICE | NEEDS_TORCH, LOW, 0, 0.1, LIMIT(0.1, "held, of a step"),            \
      LIMIT(1e7, "ns: the least call"), LIMIT(0.5, "of the steps have it, at most"))

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
      NULL)                                                                              \
    F("kernels-unfused",                                                                 \
      "model = torch.compile(model)    # or the modules that are named\n"                \
      "# by hand, the operator that does it in one kernel, where there is one:\n"        \
      "y = F.rms_norm(x, (x.shape[-1],), weight)    # F.layer_norm, F.gelu, F.silu …",   \
      NULL)                                                                              \
    F("host-work-first",                                                                 \
      "class Prepared(torch.utils.data.Dataset):    # in workers, ahead of the step\n"   \
      "    def __getitem__(self, i):\n"                                                  \
      "        return preprocess(items[i])\n"                                            \
      "loader = DataLoader(Prepared(), num_workers=4, prefetch_factor=2, "               \
      "pin_memory=True)",                                                                \
      NULL)                                                                              \
    F("atypical-recording",                                                              \
      "schedule = torch.profiler.schedule(wait=5, warmup=2, active=3)\n"                 \
      "with torch.profiler.profile(schedule=schedule) as profiler:\n"                    \
      "    for batch in loader:\n"                                                       \
      "        train_step(batch)\n"                                                      \
      "        profiler.step()",                                                         \
      NULL)

#endif
