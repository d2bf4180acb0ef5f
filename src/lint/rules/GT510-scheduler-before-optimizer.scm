; GT510 scheduler-before-optimizer off
; title: the learning rate's schedule is out of step
; why: before the optimizer's first step() the schedule skips its first value; a schedule that is never stepped leaves the rate where it began
; fix: scheduler.step() behind optimizer.step()
; needs: torch 1
((block (expression_statement . (call function: (attribute object: (_) @scheduler attribute: (identifier) @first)
                                      arguments: (argument_list) @none) @hit .)
        . (comment)* . (expression_statement . (call function: (attribute object: (_) @optimizer attribute: (identifier) @second)) @next .))
 (#eq? @first "step") (#eq? @second "step") (#eq? @none "()")
 (#word? @scheduler "scheduler sched")
 (#kind? @optimizer "optimizer")
 (#not-word? @optimizer "scheduler sched")
 (#in-loop? @hit)
 (#not-job-has? "<own scheduler>")
 (#delete! @hit)
 (#line-after! @next @hit))

((call function: (attribute object: (_) @scheduler attribute: (identifier) @name)
       arguments: (argument_list) @none) @hit
 (#eq? @name "step") (#eq? @none "()")
 (#word? @scheduler "scheduler sched")
 (#before-optimizer? @hit)
 (#in-loop? @hit)
 (#not-job-has? "<own scheduler>"))

((call function: (attribute object: (_) @scheduler attribute: (identifier) @name)
       arguments: (argument_list) @none) @hit
 (#eq? @name "step") (#eq? @none "()")
 (#word? @scheduler "scheduler sched")
 (#before-steps?)
 (#not-job-has? "<own scheduler>"))

((assignment left: (identifier) @hit right: (call function: (_) @function))
 (#is? @function "torch.optim.lr_scheduler.*")
 (#unused? @hit)
 (#not-job-has? "lightning" "pytorch_lightning" "<own scheduler>")
 (#advice! "nothing steps this schedule: the rate stays where it began"))
