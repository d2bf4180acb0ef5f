; GT207 repeated-expand
; title: a tensor is copied along a dimension that broadcasting covers
; why: every copy is written to memory and read again; an operation that broadcasts reads the one
; fix: leave the dimension at size 1 in elementwise operations; enable_gqa=True for grouped heads (PyTorch 2.5)
; priced-by: rows-repeated

; x + y.unsqueeze(1).repeat(1, n, 1)
([(binary_operator left: (call) @hit) (binary_operator right: (call) @hit)
  (comparison_operator (call) @hit)]
 (#repeats-new? @hit)
 (#every-step?))

; keys and values of grouped heads, one copy a query head
((call function: (_) @function
   arguments: (argument_list . (_) . (_) @key . (_))) @hit
 (#is? @function "torch.nn.functional.scaled_dot_product_attention")
 (#path? @key "transpose contiguous to" "repeat_interleave repeat_kv")
 (#every-step?)
 (#advice! "pass the keys and values as they are, with enable_gqa=True"))
