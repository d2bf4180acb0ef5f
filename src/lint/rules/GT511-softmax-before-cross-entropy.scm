; GT511 softmax-before-cross-entropy
; title: cross entropy of what went through softmax already
; why: the loss takes logits and applies log_softmax itself; after a second softmax its gradient is small however wrong the answer, so training needs many more steps
; fix: give it the logits; softmax only where probabilities are read
((call function: (_) @function
       arguments: (argument_list . (call function: (_) @softmax
                                         arguments: (argument_list . (_) @logits)) @value)) @hit
 (#made-by? @function "torch.nn.CrossEntropyLoss")
 (#is? @softmax "torch.softmax" "torch.nn.functional.softmax")
 (#not-node? @logits "keyword_argument")
 (#replace! @value @logits))

((call function: (_) @function
       arguments: (argument_list . (call function: (_) @softmax
                                         arguments: (argument_list . (_) @logits)) @value)) @hit
 (#is? @function "torch.nn.functional.cross_entropy")
 (#is? @softmax "torch.softmax" "torch.nn.functional.softmax")
 (#not-node? @logits "keyword_argument")
 (#replace! @value @logits))

((call function: (_) @function arguments: (argument_list . (_) @value)) @hit
 (#made-by? @function "torch.nn.CrossEntropyLoss")
 (#made-by? @value "torch.softmax" "torch.nn.functional.softmax" "torch.nn.Softmax" ".softmax"))

((call function: (_) @function arguments: (argument_list . (_) @value)) @hit
 (#is? @function "torch.nn.functional.cross_entropy")
 (#made-by? @value "torch.softmax" "torch.nn.functional.softmax" "torch.nn.Softmax" ".softmax"))
