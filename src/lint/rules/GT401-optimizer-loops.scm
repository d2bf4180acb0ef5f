; GT401 optimizer-loops with-run
; title: parameters or gradients are changed one by one
; why: each parameter takes kernels of its own, hundreds of launches per step where a few would do
; fix: torch._foreach_* over the list of all parameters, or an optimizer of torch.optim with fused=True
; priced-by: optimizer-unfused launch-bound
((call function: (_) @optimizer arguments: (argument_list) @arguments) @hit
 (#is? @optimizer "torch.optim.*")
 (#passes? @arguments "foreach" "False")
 (#not-passes? @arguments "fused" "True")
 (#not-job-has? "Fabric" "FullyShardedDataParallel" "fully_shard")
 (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#drop-argument! @arguments "foreach"))

((for_statement left: (_) @targets right: (_) @hit body: (_) @body)
 (#contains? @hit "parameters(" "group[" "params")
 (#updates? @body @targets)
 (#training-step?) (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule"))
