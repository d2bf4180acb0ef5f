; GT411 optimizer-not-fused with-run
; title: the optimizer could run as one fused kernel
; why: without fused=True the update is a dozen kernels that each read and write all states; the fused one reads and writes them once
; fix: fused=True (torch 2.0 and newer, parameters on the device before the optimizer is made)
; needs: torch 2
; priced-by: optimizer-unfused
((call function: (_) @optimizer arguments: (argument_list . (_) @parameters) @arguments) @hit
 (#is? @optimizer "torch.optim.Adam" "torch.optim.AdamW" "torch.optim.adam.Adam" "torch.optim.adamw.AdamW")
 (#contains? @parameters "param") (#not-conditional? @hit) (#not-moved-later? @hit @parameters) (#not-in-test? @hit) (#lacks? @arguments "fused" "foreach" "capturable" "differentiable")
 (#job-has? "backward" "training_step") (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "fused" "deepspeed" "DeepSpeedPlugin" "Accelerator" "LightningModule" "Fabric" "TrainingArguments" "FullyShardedDataParallel" "fully_shard" "ZeroRedundancyOptimizer" "fairscale" "apex") (#job-has? "MultiheadAttention" "MultiHeadAttention" "TransformerEncoder" "TransformerEncoderLayer" "TransformerDecoder" "TransformerDecoderLayer" "scaled_dot_product_attention" "Attention" "SelfAttention" "CausalSelfAttention" "n_head" "nhead" "AutoModelForCausalLM" "AutoModel")
 (#set-argument! @arguments "fused" "True"))
