; GT206 norm-by-hand
; title: a norm or an activation is computed step by step
; why: each elementary operation reads and writes the whole tensor, and the backward pass keeps most results; one fused operation does it in one pass
; fix: torch.nn.functional.rms_norm (PyTorch 2.4), layer_norm, gelu(x, approximate="tanh"), silu
; priced-by: elementwise-chain kernels-unfused

; x * rsqrt(mean(x ** 2) + eps)
((binary_operator left: (_) @x operator: "*" right: (_) @r) @hit
 (#path? @r "to type_as" "rsqrt" "+ add" "mean" "to float" "pow square ** *")
 (#advice! "torch.nn.functional.rms_norm (PyTorch 2.4 and newer)")
 (#not-decorated? @hit "jit script compile")
 (#not-job-has? "compile")
 (#every-step?))

; x / sqrt(mean(x ** 2) + eps)
((binary_operator left: (_) @x operator: "/" right: (_) @r) @hit
 (#path? @r "+ to type_as" "sqrt" "+ add" "mean" "to float" "pow square ** *")
 (#advice! "torch.nn.functional.rms_norm (PyTorch 2.4 and newer)")
 (#not-decorated? @hit "jit script compile")
 (#not-job-has? "compile")
 (#every-step?))

; 0.5 * x * (1 + tanh(0.79 * (x + 0.044715 * x ** 3)))
((binary_operator operator: "*" right: (_) @t) @hit
 (#path? @t "+" "tanh" "* mul" "+" "*" "pow ** *")
 (#contains? @hit "0.044715")
 (#advice! "torch.nn.functional.gelu(x, approximate=\"tanh\")")
 (#not-decorated? @hit "jit script compile")
 (#not-job-has? "compile")
 (#every-step?))

; x * 0.5 * (1 + erf(x / sqrt(2)))
((binary_operator operator: "*" right: (_) @t) @hit
 (#path? @t "+" "erf" "* /" "sqrt")
 (#contains? @hit "0.5")
 (#contains? @hit "erf(")
 (#advice! "torch.nn.functional.gelu(x)")
 (#not-decorated? @hit "jit script compile")
 (#not-job-has? "compile")
 (#every-step?))

; x * sigmoid(x)
((binary_operator left: (_) @x operator: "*"
   right: (call function: (_) @f arguments: (argument_list . (_) @y .))) @hit
 (#is? @f "torch.sigmoid" "torch.nn.functional.sigmoid")
 (#eq? @x @y)
 (#advice! "torch.nn.functional.silu(" @x ")")
 (#not-decorated? @hit "jit script compile")
 (#not-job-has? "compile")
 (#every-step?))
((binary_operator left: (_) @x operator: "*"
   right: (call function: (attribute object: (_) @y attribute: (identifier) @f)
                arguments: (argument_list) @none)) @hit
 (#eq? @f "sigmoid") (#eq? @none "()")
 (#eq? @x @y)
 (#advice! "torch.nn.functional.silu(" @x ")")
 (#not-decorated? @hit "jit script compile")
 (#not-job-has? "compile")
 (#every-step?))
