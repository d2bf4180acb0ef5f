; GT410 graph-retained
; title: the graph is kept after the only backward pass over it
; why: the activations of the step stay in memory until the next one has made its own, and graphs that hang together grow
; fix: drop retain_graph=True; where a state is carried into the next step, detach() it

((call function: (attribute object: (_) @loss attribute: (identifier) @name)
       arguments: (argument_list) @arguments) @hit
 (#eq? @name "backward") (#passes? @arguments "retain_graph" "True")
 (#not-passes? @arguments "create_graph" "True")
 (#training-step?) (#last-backward? @hit @loss) (#not-carries-graph? @hit)
 (#drop-argument! @arguments "retain_graph"))

; without retain_graph alone, the next step would walk a freed graph
((call function: (attribute object: (_) @loss attribute: (identifier) @name)
       arguments: (argument_list) @arguments) @hit
 (#eq? @name "backward") (#passes? @arguments "retain_graph" "True")
 (#not-passes? @arguments "create_graph" "True")
 (#training-step?) (#last-backward? @hit @loss) (#carries-graph? @hit)
 (#advice! "detach() the state that is carried into the next step, then drop retain_graph=True"))
