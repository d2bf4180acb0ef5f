; GT508 every-step
; title: every training step ends in an evaluation or a checkpoint
; why: either takes as long as many steps; most of the time goes there, and consecutive steps differ too little to be worth it
; fix: every N steps, under if step % N == 0, or once in an epoch
; priced-by: evaluation-often checkpoint-often
((call function: (_) @function) @hit
 (#is? @function "torch.save")
 (#in-batch-loop?))

((call function: (attribute attribute: (identifier) @name)) @hit
 (#any-of? @name "save_pretrained" "save_checkpoint")
 (#in-batch-loop?))

((call function: [(identifier) (attribute)] @function
       arguments: (argument_list [(identifier) (attribute)] @data)) @hit
 (#word? @function "evaluate evaluation validate validation eval val test")
 (#word? @data "loader dataloader valloader testloader valset testset")
 (#in-batch-loop?))
