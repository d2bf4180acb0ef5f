; GT110 sort-for-top
; title: all is sorted for the first few
; why: a sort orders every element in several passes over the memory; topk looks only for the few that are used
; fix: x.topk(k, dim) gives the largest values and their indices; topk(k, largest=False) the smallest

; the slice cuts the dimension that was sorted: topk is the same but for ties, where it may name other indices
((subscript value: (subscript value: (call function: (_) @sort
     arguments: (argument_list . (_) @value . (keyword_argument) . (keyword_argument) .) @arguments) subscript: (integer) @part)
   . (slice . ":" .) . (slice . ":" . (_) @count .) .) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#is? @sort "torch.sort") (#passes? @arguments "dim" "1") (#passes? @arguments "descending" "True")
 (#replace! @hit "torch.topk(" @value ", " @count ", dim=1)[" @part "]"))

((subscript value: (subscript value: (call function: (_) @sort
     arguments: (argument_list . (_) @value . (keyword_argument) . (keyword_argument) .) @arguments) subscript: (integer) @part)
   . (ellipsis) . (slice . ":" . (_) @count .) .) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#is? @sort "torch.sort") (#passes? @arguments "dim" "-1") (#passes? @arguments "descending" "True")
 (#replace! @hit "torch.topk(" @value ", " @count ")[" @part "]"))

((subscript value: (call function: (attribute object: (_) @value attribute: (identifier) @name)) subscript: (slice . ":" . (_) @count .)) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#eq? @name "argsort") (#kind? @value "tensor" "host"))

((subscript value: (call function: (_) @sort) subscript: (slice . ":" . (_) @count .)) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#is? @sort "torch.argsort"))

((subscript value: (call function: (_) @sort) (slice) subscript: (slice . ":" . (_) @count .) .) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#is? @sort "torch.argsort"))

((subscript value: (call function: (attribute object: (_) @value attribute: (identifier) @name)) (slice) subscript: (slice . ":" . (_) @count .) .) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#eq? @name "argsort") (#kind? @value "tensor" "host"))

((subscript value: (subscript value: (call function: (_) @sort) subscript: (integer)) subscript: (slice . ":" . (_) @count .)) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#is? @sort "torch.sort"))

((subscript value: (subscript value: (call function: (attribute object: (_) @value attribute: (identifier) @name)) subscript: (integer)) subscript: (slice . ":" . (_) @count .)) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#eq? @name "sort") (#kind? @value "tensor" "host"))

((subscript value: (attribute object: (call function: (attribute object: (_) @value attribute: (identifier) @name)) attribute: (identifier) @part) subscript: (slice . ":" . (_) @count .)) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#eq? @name "sort") (#any-of? @part "values" "indices"))

((subscript value: (attribute object: (call function: (_) @sort) attribute: (identifier) @part) subscript: (slice . ":" . (_) @count .)) @hit
 (#not-node? @count "unary_operator") ; [:-1] is all but the last
 (#is? @sort "torch.sort") (#any-of? @part "values" "indices"))
