; GT505 checkpoint-misplaced off
; title: nothing is saved until training is over
; why: a crash, a full disk or a lost machine in the last epoch costs all the epochs before it
; fix: save in the loop of epochs, every epoch or every N steps: model, optimizer, scheduler and step
((call function: (_) @function arguments: (argument_list . (_) @state)) @hit
 (#is? @function "torch.save" "torch.distributed.checkpoint.save")
 (#word? @state "state model net network dict generator actor agent policy encoder checkpoint ckpt module")
 (#after-training? "saving"))

((call function: (attribute attribute: (identifier) @name)) @hit
 (#any-of? @name "save_pretrained" "save_checkpoint" "save_model")
 (#after-training? "saving"))
