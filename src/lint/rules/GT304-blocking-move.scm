; GT304 blocking-move with-run
; title: the host waits for the copy of each batch
; why: the loader pins its batches, but a copy without non_blocking=True still holds the host until the device has done all work before it
; fix: non_blocking=True
; priced-by: blocking-copy pageable-copy
((assignment left: (identifier) @name
   right: (call function: (attribute object: (identifier) @value attribute: (identifier) @move)
                arguments: (argument_list) @arguments) @hit)
 (#eq? @name @value)
 (#any-of? @move "to" "cuda") (#from-loader? @value) (#lacks? @arguments "non_blocking")
 (#not-contains? @arguments "cpu" "torch.float" "torch.long" "dtype")
 (#training-step?) (#job-has? "pin_memory=True" "pin_mem=True") (#not-job-has? "<old torch>" "Accelerator" "LightningModule" "Fabric" "TrainingArguments")
 (#set-argument! @arguments "non_blocking" "True") (#safe!))

((call function: (attribute object: (_) @value attribute: (identifier) @move)
       arguments: (argument_list) @arguments) @hit
 (#any-of? @move "to" "cuda") (#from-loader? @value) (#lacks? @arguments "non_blocking")
 (#not-contains? @arguments "cpu" "torch.float" "torch.long" "dtype")
 (#training-step?) (#job-has? "pin_memory=True" "pin_mem=True") (#not-job-has? "<old torch>" "Accelerator" "LightningModule" "Fabric" "TrainingArguments")
 (#set-argument! @arguments "non_blocking" "True"))
