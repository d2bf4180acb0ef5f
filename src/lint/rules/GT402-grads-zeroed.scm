; GT402 grads-zeroed
; title: gradients are filled with zeros
; why: each step writes zeros to all gradients, and backward then reads them back to add, where with None it would only write
; fix: optimizer.zero_grad(), which sets them to None (set_to_none=True, the default)
; priced-by: clear-cost
((call function: (attribute attribute: (identifier) @name) arguments: (argument_list) @arguments) @hit
 (#eq? @name "zero_grad") (#passes? @arguments "set_to_none" "False")
 (#training-step?) (#not-job-has? "CUDAGraph" "make_graphed_callables")
 (#drop-argument! @arguments "set_to_none"))

((for_statement left: (_) @targets right: (_) @hit body: (_) @body)
 (#contains? @hit "param") (#updates? @body @targets "grad")
 (#training-step?) (#not-job-has? "CUDAGraph" "make_graphed_callables"))

((for_statement left: (_) @targets right: (_) @hit body: (_) @body)
 (#not-contains? @hit "param") (#value-has? @hit "param") (#updates? @body @targets "grad")
 (#training-step?) (#not-job-has? "CUDAGraph" "make_graphed_callables"))
