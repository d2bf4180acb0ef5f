; GT509 zero-grad-missing
; title: gradients are never cleared
; why: every backward() adds to the gradients of all steps before it; each step follows their sum, and the run has to be repeated
; fix: optimizer.zero_grad(set_to_none=True) before each backward()
((call function: (attribute object: (_) @optimizer attribute: (identifier) @name)) @hit
 (#eq? @name "step")
 (#kind? @optimizer "optimizer")
 (#not-word? @optimizer "scheduler engine lbfgs")
 (#training-loop?)
 (#job-has? "<trains>") (#job-has? "torch")
 (#not-job-has? "*zero_grad*" "*zerograd*" "*clear_grad*" "*reset_grad*" "grad" "*zero_param*" "lightning" "pytorch_lightning" "<unread imports>")
 (#line-after! @hit @optimizer ".zero_grad(set_to_none=True)"))
