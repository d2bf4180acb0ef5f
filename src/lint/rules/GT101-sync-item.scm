; GT101 sync-item
; title: the host waits for the device in every step
; why: reading a value copies it from the device; the host stops until all queued work is done, and launches nothing meanwhile
; fix: add the value up on the device (total += x.detach()) and read it every N steps, under if step % N == 0
; priced-by: host-wait logging-often
((call function: (attribute object: (_) @value attribute: (identifier) @name)
       arguments: (argument_list) @arguments) @hit
 (#eq? @name "item") (#eq? @arguments "()")
 (#not-kind? @value "host" "array") (#not-unknown-argument? @value) (#not-drives-simulator? @hit)
 (#not-guards? @hit) (#not-agreed? @value) (#not-needed-now? @hit)
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((call function: (identifier) @name
       arguments: (argument_list . (_) @value .)) @hit
 (#any-of? @name "float" "int" "bool")
 (#kind? @value "tensor") (#shown? @value)
 (#not-guards? @hit) (#not-agreed? @value) (#not-needed-now? @hit)
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))
