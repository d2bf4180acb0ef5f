; GT404 no-tf32 with-run
; title: matrix products in full 32-bit precision
; why: nothing allows TF32, so that products of matrices do not use the tensor cores
; fix: torch.set_float32_matmul_precision("high") once at the start
; needs: torch 2
; priced-by: precision-f32 tensor-cores-unused
((call function: (_) @forward) @hit
 (#kind? @forward "module") (#not-word? @forward "criterion crit loss fn func function") (#training-step?) (#not-in-test? @hit) (#not-without-grad?) (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "autocast" "GradScaler" "amp" "bf16" "fp16" "bfloat16" "float16" "half()" "mixed_precision" "precision" "Accelerator" "deepspeed" "use_amp" "fp8" "--fp16" "--bf16" "--amp" "Fabric" "float64" "double()" "TrainingArguments" "Seq2SeqTrainer" "LightningCLI" "allow_tf32" "set_float32_matmul_precision" "float32_matmul_precision" "torchvision" "Conv2d") (#job-has? "MultiheadAttention" "MultiHeadAttention" "TransformerEncoder" "TransformerEncoderLayer" "TransformerDecoder" "TransformerDecoderLayer" "scaled_dot_product_attention" "Attention" "SelfAttention" "CausalSelfAttention" "n_head" "nhead" "AutoModelForCausalLM" "AutoModel")
 (#not-job-has? "<differentiates>" "complex64" "cfloat" "view_as_complex" "set_default_dtype" "*bf16*" "*fp16*" "*float16*" "FullyShardedDataParallel")
 (#once!))

((call function: (attribute attribute: (identifier) @name)) @hit
 (#eq? @name "backward") (#training-step?) (#not-in-test? @hit) (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "autocast" "GradScaler" "amp" "bf16" "fp16" "bfloat16" "float16" "half()" "mixed_precision" "precision" "Accelerator" "deepspeed" "use_amp" "fp8" "--fp16" "--bf16" "--amp" "Fabric" "float64" "double()" "TrainingArguments" "Seq2SeqTrainer" "LightningCLI" "allow_tf32" "set_float32_matmul_precision" "float32_matmul_precision" "torchvision" "Conv2d") (#job-has? "MultiheadAttention" "MultiHeadAttention" "TransformerEncoder" "TransformerEncoderLayer" "TransformerDecoder" "TransformerDecoderLayer" "scaled_dot_product_attention" "Attention" "SelfAttention" "CausalSelfAttention" "n_head" "nhead" "AutoModelForCausalLM" "AutoModel")
 (#not-job-has? "<differentiates>" "complex64" "cfloat" "view_as_complex" "set_default_dtype" "*bf16*" "*fp16*" "*float16*" "FullyShardedDataParallel")
 (#once!))
