; GT403 no-autocast with-run
; title: the program trains in 32-bit floats
; why: matrix products and convolutions in bfloat16 run several times faster on tensor cores and move half the bytes
; fix: with torch.autocast("cuda", dtype=torch.bfloat16): around forward and loss; parameters stay in 32 bits
; needs: torch 2
; priced-by: precision-f32 tensor-cores-unused
((call function: (_) @forward) @hit
 (#kind? @forward "module") (#not-word? @forward "criterion crit loss fn func function") (#training-step?) (#steps-here?) (#not-in-test? @hit) (#not-without-grad?) (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "autocast" "GradScaler" "amp" "bf16" "fp16" "bfloat16" "float16" "half()" "mixed_precision" "precision" "Accelerator" "deepspeed" "use_amp" "fp8" "--fp16" "--bf16" "--amp" "Fabric" "float64" "double()" "TrainingArguments" "Seq2SeqTrainer" "LightningCLI") (#job-has? "Conv2d" "Conv3d" "ConvTranspose2d" "timm" "resnet18" "resnet50" "conv3x3" "MultiheadAttention" "MultiHeadAttention" "TransformerEncoder" "TransformerEncoderLayer" "TransformerDecoder" "TransformerDecoderLayer" "scaled_dot_product_attention" "Attention" "SelfAttention" "CausalSelfAttention" "n_head" "nhead" "AutoModelForCausalLM" "AutoModel")
 (#not-job-has? "<differentiates>" "complex64" "cfloat" "view_as_complex" "set_default_dtype" "*bf16*" "*fp16*" "*float16*" "--precision" "--mixed_precision" "--mixed-precision" "--dtype" "FullyShardedDataParallel")
 (#once!))

((call function: (attribute attribute: (identifier) @name)) @hit
 (#eq? @name "backward") (#training-step?) (#steps-here?) (#not-in-test? @hit) (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "autocast" "GradScaler" "amp" "bf16" "fp16" "bfloat16" "float16" "half()" "mixed_precision" "precision" "Accelerator" "deepspeed" "use_amp" "fp8" "--fp16" "--bf16" "--amp" "Fabric" "float64" "double()" "TrainingArguments" "Seq2SeqTrainer" "LightningCLI") (#job-has? "Conv2d" "Conv3d" "ConvTranspose2d" "timm" "resnet18" "resnet50" "conv3x3" "MultiheadAttention" "MultiHeadAttention" "TransformerEncoder" "TransformerEncoderLayer" "TransformerDecoder" "TransformerDecoderLayer" "scaled_dot_product_attention" "Attention" "SelfAttention" "CausalSelfAttention" "n_head" "nhead" "AutoModelForCausalLM" "AutoModel")
 (#not-job-has? "<differentiates>" "complex64" "cfloat" "view_as_complex" "set_default_dtype" "*bf16*" "*fp16*" "*float16*" "--precision" "--mixed_precision" "--mixed-precision" "--dtype" "FullyShardedDataParallel")
 (#once!))
