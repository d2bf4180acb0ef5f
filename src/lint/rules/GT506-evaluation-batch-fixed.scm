; GT506 evaluation-batch-fixed off
; title: the batch of an evaluation is a number in the code
; why: who raises the batch size of training for a larger device leaves evaluation at the old one; without gradients it could take a larger one than training
; fix: its own setting (eval_batch_size), at least as large as training's
((assignment left: (_) @left
             right: (call function: (_) @function
                          arguments: (argument_list
                              (keyword_argument name: (identifier) @name value: (integer) @hit))))
 (#is? @function "torch.utils.data.DataLoader")
 (#word? @left "val valid validation eval evaluation test dev testloader valloader evalloader")
 (#not-word? @left "train")
 (#eq? @name "batch_size")
 (#not-any-of? @hit "1" "128" "200" "250" "256" "500" "512" "1000" "1024" "2048" "4096" "10000")
 (#file-has? "<batch size configured>"))
