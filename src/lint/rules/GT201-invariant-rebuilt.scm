; GT201 invariant-rebuilt with-run
; title: the same tensor is made anew in every step
; why: it is made of shapes and constants alone; the operations that make it, and a copy of a list to the device, which the host waits for, are repeated in every step
; fix: make it once in __init__ (self.register_buffer(name, …, persistent=False)) for the largest size and take a slice of it in forward
; priced-by: invariant-rebuilt
([(call) (binary_operator) (comparison_operator)] @hit
 (#invariant? @hit)
 (#operations? @hit "2")
 (#whole? @hit)
 (#not-kept? @hit) (#not-made-and-moved? @hit)
 (#not-decorated? @hit "jit compile script")
 (#every-batch?) (#not-job-has? "<compiles>"))
