; GT111 dynamic-shape off
; title: the shape of a result depends on the data
; why: nonzero, unique, masked_select and boolean masks must count first: the host waits for the count before it can go on, and a compiled graph breaks here
; fix: keep the shape: torch.where(mask, a, b), masked_fill, a weight of 0 for what is masked
; priced-by: host-wait
((call function: (attribute object: (_) @value attribute: (identifier) @name)) @hit
 (#any-of? @name "nonzero" "masked_select" "unique" "unique_consecutive" "argwhere")
 (#kind? @value "tensor") (#shown? @value)
 (#every-step?))

((call function: (_) @function) @hit
 (#is? @function "torch.nonzero" "torch.masked_select" "torch.unique" "torch.unique_consecutive" "torch.argwhere")
 (#every-step?))

((call function: (_) @function arguments: (argument_list . (_) .)) @hit
 (#is? @function "torch.where")
 (#every-step?))

((subscript value: (_) @value subscript: (comparison_operator) @mask) @hit
 (#kind? @value "tensor") (#kind? @mask "tensor") (#shown? @mask)
 (#not-inside? @mask "augmented_assignment")
 (#every-step?))
