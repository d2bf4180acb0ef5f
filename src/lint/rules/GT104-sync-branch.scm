; GT104 sync-branch with-run
; title: Python branches on a device tensor in every step
; why: to know which way to go, the host waits until the device has computed the value, and launches nothing meanwhile
; fix: choose on the device (torch.where, masked_fill, clamp), or look only every N steps
; priced-by: host-wait
((if_statement condition: (_) @value @hit)
 (#node? @value "call" "comparison_operator" "unary_operator" "subscript")
 (#kind? @value "tensor") (#shown? @value) (#not-guards? @value) (#not-agreed? @value)
 (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((elif_clause condition: (_) @value @hit)
 (#node? @value "call" "comparison_operator" "unary_operator" "subscript")
 (#kind? @value "tensor") (#shown? @value) (#not-guards? @value) (#not-agreed? @value)
 (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((while_statement condition: (_) @value @hit)
 (#node? @value "call" "comparison_operator" "unary_operator" "subscript")
 (#kind? @value "tensor") (#shown? @value) (#not-guards? @value) (#not-agreed? @value)
 (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((not_operator argument: (_) @value @hit)
 (#inside? @value "if_statement" "while_statement" "elif_clause")
 (#node? @value "call" "comparison_operator" "subscript")
 (#kind? @value "tensor") (#shown? @value) (#not-guards? @value) (#not-agreed? @value)
 (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((boolean_operator left: (_) @value @hit)
 (#inside? @value "if_statement" "while_statement" "elif_clause")
 (#node? @value "call" "comparison_operator" "subscript")
 (#kind? @value "tensor") (#shown? @value) (#not-guards? @value) (#not-agreed? @value)
 (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((call function: (_) @function) @hit
 (#is? @function "torch.equal" "torch.allclose")
 (#inside? @function "if_statement" "while_statement" "elif_clause") (#not-guards? @function)
 (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))
