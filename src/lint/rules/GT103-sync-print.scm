; GT103 sync-print
; title: a device tensor is printed or logged in every step
; why: turning a tensor into text or a number copies it from the device: the host stops until all queued work is done
; fix: log under if step % N == 0, or log a running mean that stays on the device
; priced-by: host-wait logging-often
((call function: (identifier) @name arguments: (argument_list (_) @value @hit))
 (#any-of? @name "print" "str" "repr") (#kind? @value "tensor") (#shown? @value)
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((interpolation expression: (_) @value) @hit
 (#kind? @value "tensor") (#shown? @value)
 (#not-inside? @value "assert_statement" "raise_statement")
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((call function: (attribute object: (string) attribute: (identifier) @name)
       arguments: (argument_list (_) @value @hit))
 (#eq? @name "format") (#kind? @value "tensor") (#shown? @value)
 (#not-inside? @value "assert_statement" "raise_statement")
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((binary_operator left: (string) operator: "%" right: (_) @value @hit)
 (#kind? @value "tensor") (#shown? @value)
 (#not-inside? @value "assert_statement" "raise_statement")
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((binary_operator left: (string) operator: "%" right: (tuple (_) @value @hit))
 (#kind? @value "tensor") (#shown? @value)
 (#not-inside? @value "assert_statement" "raise_statement")
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((call function: (attribute attribute: (identifier) @name)
       arguments: (argument_list . (_) . (_) @value @hit))
 (#any-of? @name "add_scalar" "log_scalar") (#kind? @value "tensor") (#shown? @value)
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((call function: (_) @function
       arguments: (argument_list . (dictionary (pair value: (_) @value @hit))))
 (#is? @function "wandb.log" "wandb.run.log" "mlflow.log_metrics" "swanlab.log" "trackio.log")
 (#kind? @value "tensor") (#shown? @value)
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))

((call function: (attribute attribute: (identifier) @name)
       arguments: (argument_list (keyword_argument value: (_) @value) @hit))
 (#eq? @name "set_postfix") (#kind? @value "tensor") (#shown? @value)
 (#not-beside-wait? @hit) (#not-loop-has? @hit "synchronize") (#every-batch?) (#job-has? "<device>") (#one-wait!))
