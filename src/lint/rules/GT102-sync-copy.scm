; GT102 sync-copy
; title: a tensor is copied to the host in every step
; why: .cpu(), .to("cpu") and .tolist() stop the host until the device has done all queued work and the copy is over
; fix: compute on the device and copy once every N steps, or collect the tensors and copy them together behind the loop
; priced-by: host-wait blocking-copy
((call function: (attribute object: (_) @value attribute: (identifier) @name)
       arguments: (argument_list) @arguments) @hit
 (#eq? @name "cpu") (#eq? @arguments "()") (#not-job-has? "def cpu")
 (#not-kind? @value "host" "array" "number" "module" "optimizer")
 (#not-drives-simulator? @hit) (#not-needed-now? @hit)
 (#not-with-calls-of? @hit "scipy.") (#not-job-has? "rpc_async" "rpc_sync") (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

; where a class of the program has its own cpu(), only of what is a tensor
((call function: (attribute object: (_) @value attribute: (identifier) @name)
       arguments: (argument_list) @arguments) @hit
 (#eq? @name "cpu") (#eq? @arguments "()")
 (#kind? @value "tensor") (#job-has? "def cpu")
 (#not-drives-simulator? @hit) (#not-needed-now? @hit)
 (#not-with-calls-of? @hit "scipy.") (#not-job-has? "rpc_async" "rpc_sync") (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((call function: (attribute object: (_) @value attribute: (identifier) @name)
       arguments: (argument_list . (_) @to) @arguments) @hit
 (#lacks? @arguments "non_blocking") (#eq? @name "to") (#any-of? @to "\"cpu\"" "'cpu'" "torch.device(\"cpu\")" "torch.device('cpu')")
 (#not-kind? @value "host" "array" "number" "module" "optimizer")
 (#not-drives-simulator? @hit) (#not-needed-now? @hit)
 (#not-with-calls-of? @hit "scipy.") (#not-job-has? "rpc_async" "rpc_sync") (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((call function: (attribute object: (_) @value attribute: (identifier) @name)
       arguments: (argument_list) @arguments) @hit
 (#eq? @name "tolist") (#eq? @arguments "()")
 (#kind? @value "tensor") (#shown? @value)
 (#not-drives-simulator? @hit) (#not-needed-now? @hit)
 (#not-with-calls-of? @hit "scipy.") (#not-job-has? "rpc_async" "rpc_sync") (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))
