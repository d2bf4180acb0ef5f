; GT109 loop-over-samples with-run
; title: a Python loop over one dimension of a tensor
; why: every turn launches its own small operations: the device waits for Python between them, and uses a fraction of itself
; fix: apply the operations to the whole tensor: drop the index, and let dimensions broadcast (matmul, einsum and modules take batches)
; priced-by: launch-bound small-tensors python-time
((for_statement left: (identifier) right: (call) @hit) @loop
 (#vectorises? @loop)
 (#every-step?))
