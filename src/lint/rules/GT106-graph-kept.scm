; GT106 graph-kept
; title: the graph of every step is kept
; why: what adds a loss up, or collects it in a list, keeps all operations that made it: memory grows with every step, and is freed only at the end
; fix: add loss.detach(): the value is the same
((augmented_assignment left: (_) @total operator: "+=" right: (_) @value) @hit
 (#node? @total "identifier") (#carried? @total) (#outlives-step? @total)
 (#has-graph? @value) (#not-backpropagated? @total)
 (#not-node? @value "binary_operator" "unary_operator" "conditional_expression" "boolean_operator" "await")
 (#not-without-grad?) (#step-loop?) (#not-called-in-step?) (#not-steps-behind?)
 (#insert-after! @value ".detach()") (#safe!))

((augmented_assignment left: (_) @total operator: "+=" right: (_) @value) @hit
 (#node? @total "identifier") (#carried? @total) (#outlives-step? @total)
 (#has-graph? @value) (#not-backpropagated? @total)
 (#node? @value "binary_operator" "unary_operator")
 (#not-without-grad?) (#step-loop?) (#not-called-in-step?) (#not-steps-behind?)
 (#replace! @value "(" @value ").detach()") (#safe!))

((augmented_assignment left: (_) @total operator: "+=" right: (_) @value) @hit
 (#node? @total "subscript") (#outlives-step? @total)
 (#has-graph? @value) (#not-backpropagated? @total)
 (#not-node? @value "binary_operator" "unary_operator" "conditional_expression" "boolean_operator" "await")
 (#not-without-grad?) (#step-loop?) (#not-called-in-step?) (#not-steps-behind?)
 (#insert-after! @value ".detach()"))

((expression_statement (call
    function: (attribute object: (identifier) @list attribute: (identifier) @name)
    arguments: (argument_list . (_) @value .)) @hit)
 (#eq? @name "append") (#carried? @list) (#outlives-step? @list)
 (#has-graph? @value) (#not-backpropagated? @list)
 (#not-node? @value "binary_operator" "unary_operator" "conditional_expression" "boolean_operator" "await" "list" "tuple")
 (#not-without-grad?) (#step-loop?) (#not-called-in-step?) (#not-steps-behind?)
 (#insert-after! @value ".detach()"))
