; GT512 sampler-epoch off
; title: every epoch has the same order of samples
; why: DistributedSampler shuffles by its seed and the epoch's number; nobody tells it the number, so all epochs bring the same batches in the same order
; fix: sampler.set_epoch(epoch) at the beginning of every epoch
((call function: (_) @function arguments: (argument_list . (_)? @data) @arguments) @hit
 (#is? @function "torch.utils.data.DistributedSampler" "torch.utils.data.distributed.DistributedSampler")
 (#not-passes? @arguments "shuffle" "False")
 (#not-word? @arguments "val valid validation test eval dev valset testset validset evalset devset valid_set")
 (#job-has? "<trains>") (#job-has? "*epoch*")
 (#not-job-has? "*set_epoch*" "<unread imports>" "lightning" "pytorch_lightning" "accelerate"))
