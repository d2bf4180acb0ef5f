; GT504 evaluation-misplaced off
; title: the model is validated only after training, or never
; why: a run that diverges or overfits is noticed when all of its time is spent; there is no best epoch to go back to
; fix: validate in the loop of epochs, every epoch or every N steps, and keep the best checkpoint
((for_statement right: (_) @hit)
 (#word? @hit "val valid validation valloader devloader")
 (#not-word? @hit "range test")
 (#after-training? "evaluation"))

((call function: (_) @function
       arguments: (argument_list [(identifier) (attribute)] @data)) @hit
 (#word? @function "eval evaluate evaluation validate validation val")
 (#word? @data "val valid validation valloader")
 (#not-word? @data "loss acc accuracy metric test")
 (#after-training? "evaluation"))

((assignment left: (identifier) @hit right: (call function: (_) @function))
 (#is? @function "torch.utils.data.DataLoader" "torch_geometric.loader.DataLoader")
 (#word? @hit "val valid validation valloader")
 (#unused? @hit)
 (#job-has? "<trains>")
 (#advice! "nothing reads this loader: validate with it in the loop of epochs, or drop it"))
