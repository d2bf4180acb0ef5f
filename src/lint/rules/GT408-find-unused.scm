; GT408 find-unused off
; title: DDP searches for unused parameters in every step
; why: each step walks the whole graph before backward, and gradients are marked one by one
; fix: drop find_unused_parameters=True where every parameter gets a gradient in every step; DDP warns when it is needless
; priced-by: gradients-unused
((call function: (_) @call arguments: (argument_list) @arguments) @hit
 (#is? @call "torch.nn.parallel.DistributedDataParallel" "torch.nn.parallel.distributed.DistributedDataParallel" "pytorch_lightning.strategies.DDPStrategy" "lightning.pytorch.strategies.DDPStrategy" "pytorch_lightning.plugins.DDPPlugin" "accelerate.DistributedDataParallelKwargs" "accelerate.utils.DistributedDataParallelKwargs")
 (#passes? @arguments "find_unused_parameters" "True")
 (#not-passes? @arguments "static_graph" "True") (#not-conditional? @hit)
 (#drop-argument! @arguments "find_unused_parameters"))
