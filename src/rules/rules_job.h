/* Rules about the job around the model: input, intervals, threads, batch, ranks, and the
 * switches of Gait's own trainer. How a line is made: rule.h. */
#ifndef GAIT_RULES_RULES_JOB_H
#define GAIT_RULES_RULES_JOB_H

#define RULE_LIST_JOB(R)                                                                 \
    R(collate_work, "collate-work", "batches collated element by element", NEEDS_TORCH,  \
      MEDIUM, 0, 0.01, LIMIT(0.5, "collate, of a fetch"),                                \
      LIMIT(0.02, "fetching, of a step"))                                                \
    R(input_bound, "input-bound", "waiting for input", 0, LOW, 1, 0.02,                  \
      LIMIT(0.03, "fetching, of a step"), LIMIT(0.5, "computing, of a fetch"),           \
      LIMIT(0.25, "all items, of the free memory"))                                      \
    R(prefetch_short, "prefetch-short", "DataLoader workers fall behind", NEEDS_TORCH,   \
      LOW, 0, 0.02, LIMIT(0.03, "waiting, of a step"),                                   \
      LIMIT(0.5, "of the steps begin an epoch: more often it is a part of the step"))    \
    R(evaluation_often, "evaluation-often", "frequent evaluation",                       \
      NEEDS_STEPS | NEEDS_TORCH, LOW, 0, 0.02, LIMIT(0.03, "of all time"),               \
      LIMIT(0.5, "of the steps have one: more often it is a part of the step"))          \
    R(checkpoint_often, "checkpoint-often", "frequent checkpoints",                      \
      NEEDS_STEPS | NEEDS_TORCH, LOW, 0, 0.02, LIMIT(0.03, "of all time"))               \
    R(logging_often, "logging-often", "results that training never uses",                \
      NEEDS_TORCH | NEEDS_FLOW, LOW, 0, 0.02, NO_LIMITS)                                 \
    R(python_time, "python-time", "time spent in Python between operators",              \
      NEEDS_HOST_ONLY, MEDIUM, 1, 0.02, LIMIT(0.03, "of a step, at one place"),          \
      LIMIT(0.01, "the least stretch, of a step"), LIMIT(0.6, "steps that have it"))     \
    R(garbage_collector, "garbage-collector", "garbage collection in the step",          \
      NEEDS_STEPS | NEEDS_TIMINGS, LOW, 0, 0.02, LIMIT(0.03, "of all time"))             \
    R(batch_small, "batch-small", "batch small for the per-step overhead",               \
      NEEDS_STEPS | NEEDS_HOST_ONLY | NEEDS_SHAPES, LOW, 0, 0.05,                        \
      LIMIT(0.15, "the same for any batch, of a step"), LIMIT(16, "the largest batch"),  \
      LIMIT(0.01, "a long stretch of Python, of a step"))                                \
    R(threads_few, "threads-few", "idle cores while operators run", NEEDS_HOST_ONLY,     \
      LOW, 0, 0.05, LIMIT(0.5, "of the cores are used"),                                 \
      LIMIT(50000, "ns: an operator that is split"))                                     \
    R(threads_oversubscribed, "threads-oversubscribed", "more threads than cores",       \
      NEEDS_HOST_ONLY, LOW, 0, 0.05, LIMIT(1.5, "threads a CPU"),                        \
      LIMIT(50000, "ns: an operator that is split"))                                     \
    R(process_settings, "process-settings", "a debug setting slows every step",          \
      NEEDS_TORCH | NEEDS_TIMINGS, LOW, 0, 0, NO_LIMITS)                                 \
    R(padding, "padding", "compute spent on padding", NEEDS_HOST_ONLY | NEEDS_SHAPES,    \
      LOW, 0, 0.03, LIMIT(0.05, "beyond the longest row, of all"),                       \
      LIMIT(0.5, "of the steps have as many rows of that length"))                       \
    R(warmup_in_average, "warmup-in-average", "warm-up steps in the average",            \
      NEEDS_STEPS, LOW, 0, 0.02, LIMIT(2, "times the median"),                           \
      LIMIT(3, "steps that remain"))                                                     \
    R(straggler, "straggler", "one rank holds up the others", NEEDS_STEPS | NEEDS_RANKS, \
      MEDIUM, 0, 0.03, LIMIT(0.05, "of a step"), LIMIT(1, "times its spread"),           \
      LIMIT(1.05, "work of it over the mean: unequal"),                                  \
      LIMIT(0.9, "of the traced steps, in which it is late"))                            \
    R(unequal_work, "unequal-work", "unequal work across ranks",                         \
      NEEDS_STEPS | NEEDS_RANKS, MEDIUM, 0, 0.02, LIMIT(0.05, "of a step"),              \
      LIMIT(1, "times its spread"), LIMIT(1.05, "work of it over the mean"),             \
      LIMIT(0.9, "of the traced steps, in which it is late"))                            \
    R(exposed_communication, "exposed-communication", "exposed communication",           \
      NEEDS_TORCH, MEDIUM, 0, 0.03, LIMIT(0.05, "exposed, of a step"),                   \
      LIMIT(0.25, "hidden already, of it"), LIMIT(16, "collectives a step"))             \
    R(small_collectives, "small-collectives", "many small collectives", 0, LOW, 0, 0.03, \
      LIMIT(16, "a step"), LIMIT(1048576, "bytes each"),                                 \
      LIMIT(0.05, "asking and exposed, of a step"))                                      \
    R(trainer_threads, "trainer-threads", "thread count that is slower here",            \
      NEEDS_STEPS | NEEDS_TRAINER, LOW, 0, 0.05, LIMIT(0.5, "of the cores are used"),    \
      LIMIT(1.5, "threads a core"), LIMIT(50000, "ns: an operator that is split"))       \
    R(trainer_engine, "trainer-engine", "matmuls by an engine that is slower here",      \
      NEEDS_STEPS | NEEDS_TRAINER, LOW, 0, 0.03, NO_LIMITS)                              \
    R(trainer_plain_attention, "trainer-plain-attention",                                \
      "attention that stores all scores", NEEDS_STEPS | NEEDS_TRAINER, LOW, 0, 0.02,     \
      LIMIT(0.05, "of a step"))                                                          \
    R(trainer_unfused, "trainer-unfused", "unfused QKV or gate/up matmuls",              \
      NEEDS_STEPS | NEEDS_TRAINER, LOW, 0, 0.02, LIMIT(0.03, "of a step"))               \
    R(trainer_f32, "trainer-f32", "matmuls in f32 where bf16 is faster",                 \
      NEEDS_STEPS | NEEDS_TRAINER, LOW, 0, 0.05, LIMIT(0.2, "products, of a step"),      \
      LIMIT(1.1, "times bf16's time"))                                                   \
    R(trainer_bf16, "trainer-bf16", "matmuls in bf16 where f32 is faster",               \
      NEEDS_STEPS | NEEDS_TRAINER, LOW, 0, 0.05, LIMIT(0.2, "products, of a step"),      \
      LIMIT(1.1, "times f32's time"))                                                    \
    R(trainer_recompute, "trainer-recompute", "recomputation although memory is free",   \
      NEEDS_STEPS | NEEDS_TRAINER, LOW, 0, 0.02, LIMIT(0.03, "of a step"),               \
      LIMIT(0.5, "of the free memory"))                                                  \
    R(trainer_evaluation_often, "trainer-evaluation-often", "frequent validation",       \
      NEEDS_STEPS | NEEDS_TRAINER, LOW, 0, 0.05, LIMIT(0.1, "beside a step"))            \
    R(trainer_checkpoint_often, "trainer-checkpoint-often", "frequent checkpoints",      \
      NEEDS_STEPS | NEEDS_TRAINER, LOW, 0, 0.02, LIMIT(0.03, "beside a step"))

#define FIX_LIST_JOB(F)                                                                  \
    F("input-bound",                                                                     \
      "loader = DataLoader(dataset, batch_size=B, num_workers=2,\n"                      \
      "                    persistent_workers=True, prefetch_factor=2,\n"                \
      "                    pin_memory=torch.cuda.is_available())",                       \
      NULL)                                                                              \
    F("input-bound",                                                                     \
      "items = [dataset[i] for i in range(len(dataset))]   # once, before training\n"    \
      "loader = DataLoader(items, batch_size=B)   # its other arguments as they are",    \
      NULL)                                                                              \
    F("collate-work",                                                                    \
      "def collate(rows):                    # whole tensors, no loop over elements\n"   \
      "    xs, ys = zip(*rows)\n"                                                        \
      "    return torch.stack(xs), torch.stack(ys)",                                     \
      NULL)                                                                              \
    F("prefetch-short",                                                                  \
      "loader = DataLoader(dataset, batch_size=B, num_workers=2 * workers,\n"            \
      "                    persistent_workers=True, prefetch_factor=4)",                 \
      NULL)                                                                              \
    F("prefetch-short",                                                                  \
      "loader = DataLoader(dataset, batch_size=B, num_workers=workers,\n"                \
      "                    persistent_workers=True)    # or longer epochs",              \
      NULL)                                                                              \
    F("evaluation-often",                                                                \
      "EVALUATE_EVERY *= 10\n"                                                           \
      "if step % EVALUATE_EVERY == 0:\n"                                                 \
      "    evaluate(model)",                                                             \
      NULL)                                                                              \
    F("checkpoint-often",                                                                \
      "SAVE_EVERY *= 10\n"                                                               \
      "if step % SAVE_EVERY == 0:\n"                                                     \
      "    torch.save(state, path)",                                                     \
      NULL)                                                                              \
    F("logging-often",                                                                   \
      "if step % 10 == 0:                    # not every step\n"                         \
      "    log(statistics(model))",                                                      \
      NULL)                                                                              \
    F("python-time",                                                                     \
      "# loops over tokens or rows: as operators on whole tensors, or once in the\n"     \
      "# data set instead of every step; no gc.collect() in the loop",                   \
      NULL)                                                                              \
    F("garbage-collector",                                                               \
      "optimizer.step()    # and no gc.collect() in the loop\n"                          \
      "# where Python collects by itself: gc.freeze() before the loop",                  \
      NULL)                                                                              \
    F("batch-small",                                                                     \
      "loader = DataLoader(dataset, batch_size=2 * B)\n"                                 \
      "# the same number of samples in half the steps; adapt the learning rate",         \
      NULL)                                                                              \
    F("threads-few", "torch.set_num_threads(len(os.sched_getaffinity(0)))", NULL)        \
    F("threads-oversubscribed",                                                          \
      "torch.set_num_threads(len(os.sched_getaffinity(0)) // "                           \
      "processes_on_this_machine)",                                                      \
      NULL)                                                                              \
    F("process-settings",                                                                \
      "torch.autograd.set_detect_anomaly(False)    # whatever is named, when the fault " \
      "is found",                                                                        \
      NULL)                                                                              \
    F("padding",                                                                         \
      "longest = max(len(row) for row in rows)   # of this batch\n"                      \
      "tokens = torch.stack([F.pad(row, (0, longest - len(row)), value=PAD)\n"           \
      "                      for row in rows])",                                         \
      NULL)                                                                              \
    F("warmup-in-average",                                                               \
      "schedule = torch.profiler.schedule(wait=5, warmup=2, active=3)\n"                 \
      "# and time steps only after the first few",                                       \
      NULL)                                                                              \
    F("straggler",                                                                       \
      "# on the rank that is named: what it does before its first collective that the\n" \
      "# others do not (reading, logging, saving); give it to a worker or to all",       \
      NULL)                                                                              \
    F("unequal-work",                                                                    \
      "order = sorted(range(len(lengths)), key=lengths.__getitem__)\n"                   \
      "mine = order[rank::world_size]        # long and short rows to every rank",       \
      NULL)                                                                              \
    F("exposed-communication",                                                           \
      "model = DistributedDataParallel(model)    # reduces while backward runs\n"        \
      "# buffers that no rank changes: broadcast_buffers=False there; where it takes\n"  \
      "# forward_sync_buffers=False, that\n"                                             \
      "for i, (x, y) in enumerate(micro_batches):\n"                                     \
      "    last = i + 1 == len(micro_batches)\n"                                         \
      "    with contextlib.nullcontext() if last else model.no_sync():\n"                \
      "        loss(model(x), y).backward()\n"                                           \
      "right += (model(x).argmax(1) == y).sum()  # figures: each rank its own,\n"        \
      "if step % 100 == 0:                       # put together now and then\n"          \
      "    dist.all_reduce(right)",                                                      \
      NULL)                                                                              \
    F("small-collectives",                                                               \
      "model = DistributedDataParallel(model, bucket_cap_mb=25)\n"                       \
      "# by hand: flat = torch.cat([p.grad.flatten() for p in model.parameters()]);\n"   \
      "# dist.all_reduce(flat)               # one instead of many",                     \
      NULL)                                                                              \
    F("trainer-threads", NULL, "threads: 0          # all cores")                        \
    F("trainer-engine", NULL, "engine: auto        # the faster for each product")       \
    F("trainer-plain-attention", NULL, "attention: tiled")                               \
    F("trainer-unfused", NULL, "fused_qkv: true\nfused_gate_up: true")                   \
    F("trainer-f32", NULL, "precision: bf16")                                            \
    F("trainer-bf16", NULL, "precision: f32")                                            \
    F("trainer-recompute", NULL, "recompute: false")                                     \
    F("trainer-evaluation-often", NULL, "eval_interval: 5000   # ten times what it was") \
    F("trainer-checkpoint-often", NULL,                                                  \
      "checkpoint_interval: 5000   # ten times what it was")

#endif
