; GT108 grown-by-cat with-run
; title: a tensor grows by concatenation in a loop
; why: each turn copies all that earlier turns have collected: the cost grows with the square of the number of turns
; fix: append to a list and concatenate once behind the loop, or fill a tensor made beforehand
; priced-by: allocator-churn
((assignment left: (_) @grown
   right: (call function: (_) @cat arguments: (argument_list . [(list . (_) @first) (tuple . (_) @first)]))) @hit
 (#is? @cat "torch.cat" "torch.concat" "torch.concatenate" "torch.vstack" "torch.hstack" "numpy.concatenate" "numpy.vstack" "numpy.hstack")
 (#eq? @first @grown) (#carried? @grown) (#not-read-in-loop? @grown @first) (#not-over-parts? @first)
 (#over-data? @first) (#not-counting-loop? @first))

((assignment left: (_) @grown
   right: (call function: (_) @cat arguments: (argument_list . [(list . (_) @first) (tuple . (_) @first)]))) @hit
 (#is? @cat "torch.cat" "torch.concat" "torch.concatenate" "torch.vstack" "torch.hstack" "numpy.concatenate" "numpy.vstack" "numpy.hstack")
 (#eq? @first @grown) (#carried? @grown) (#not-read-in-loop? @grown @first) (#not-over-parts? @first)
 (#counting-loop? @first) (#every-batch?))

((assignment left: (_) @grown
   right: (call function: (_) @append arguments: (argument_list . (_) @first . (_)))) @hit
 (#is? @append "numpy.append")
 (#eq? @first @grown) (#carried? @grown) (#not-read-in-loop? @grown @first) (#not-over-parts? @first)
 (#over-data? @first) (#not-counting-loop? @first))

((assignment left: (_) @grown
   right: (call function: (_) @append arguments: (argument_list . (_) @first . (_)))) @hit
 (#is? @append "numpy.append")
 (#eq? @first @grown) (#carried? @grown) (#not-read-in-loop? @grown @first) (#not-over-parts? @first)
 (#counting-loop? @first) (#every-batch?))
