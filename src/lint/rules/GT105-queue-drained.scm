; GT105 queue-drained with-run
; title: the device's queue or cache is emptied in every step
; why: synchronize() and empty_cache() wait for all queued work, and the cache's memory must be asked from the driver again; gc.collect() walks over every Python object
; fix: leave it out; where memory is short, do it once per epoch; to time a step, record torch.cuda.Event on the device
; priced-by: host-wait allocator-churn garbage-collector
((expression_statement . (call function: (_) @function) @hit .)
 (#is? @function "torch.cuda.synchronize" "torch.mps.synchronize" "torch.xpu.synchronize" "torch.npu.synchronize")
 (#not-in-function-word? @hit "benchmark bench benchmarking profile profiling profiled timing time timer timed timeit measure throughput monitor profiler synchronize sync offload offloading swap")
 (#not-in-context-word? @hit "timer time timing timed timeit profile profiler profiling measure benchmark bench stopwatch")
 (#not-beside-call? @hit "barrier elapsed")
 (#every-step?)
 (#delete! @hit))

((expression_statement . (call function: (_) @function) @hit .)
 (#is? @function "torch.cuda.empty_cache" "torch.cuda.ipc_collect" "torch.mps.empty_cache" "torch.xpu.empty_cache" "gc.collect" "torch.npu.empty_cache")
 (#not-in-function-word? @hit "benchmark bench benchmarking profile profiling profiled timing time timer timed timeit measure throughput monitor profiler synchronize sync offload offloading swap")
 (#not-in-context-word? @hit "timer time timing timed timeit profile profiler profiling measure benchmark bench stopwatch")
 (#every-step?)
 (#delete! @hit))
