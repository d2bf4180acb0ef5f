; GT409 accumulate-no-sync with-run
; title: gradients are averaged between ranks in every micro-batch
; why: DDP sends all gradients in each backward, though only the sum of the last one is used
; fix: with model.no_sync(): around the backward passes that no step follows
; priced-by: exposed-communication small-collectives
((call function: (attribute attribute: (identifier) @name)) @hit
 (#eq? @name "backward") (#accumulates?) (#training-step?)
 (#file-has? "DistributedDataParallel" "DDP")
 (#not-job-has? "no_sync" "static_graph" "_set_static_graph" "require_backward_grad_sync" "set_requires_gradient_sync" "Accelerator" "deepspeed" "Fabric")
 (#once!))
