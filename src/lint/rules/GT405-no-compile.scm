; GT405 no-compile off
; title: the model runs uncompiled
; why: each operation is launched by Python, and chains of elementwise operations read and write memory again and again
; fix: model = torch.compile(model), where the shapes of batches stay
; priced-by: kernels-unfused elementwise-chain launch-bound
((call function: (_) @forward) @hit
 (#kind? @forward "module") (#not-word? @forward "criterion crit loss fn func function") (#training-step?) (#not-in-test? @hit) (#not-without-grad?) (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "compile" "jit" "script" "CUDAGraph") (#job-has? "Conv2d" "Conv3d" "ConvTranspose2d" "torchvision" "timm" "resnet18" "resnet50" "conv3x3" "MultiheadAttention" "MultiHeadAttention" "TransformerEncoder" "TransformerEncoderLayer" "TransformerDecoder" "TransformerDecoderLayer" "scaled_dot_product_attention" "Attention" "SelfAttention" "CausalSelfAttention" "n_head" "nhead" "AutoModelForCausalLM" "AutoModel")
 (#once!))

((call function: (attribute attribute: (identifier) @name)) @hit
 (#eq? @name "backward") (#training-step?) (#not-in-test? @hit) (#job-has? "cuda" "gpu" "gpus" "cuda:0" "cuda:" "accelerator" "Accelerator" "LightningModule")
 (#not-job-has? "compile" "jit" "script" "CUDAGraph") (#job-has? "Conv2d" "Conv3d" "ConvTranspose2d" "torchvision" "timm" "resnet18" "resnet50" "conv3x3" "MultiheadAttention" "MultiHeadAttention" "TransformerEncoder" "TransformerEncoderLayer" "TransformerDecoder" "TransformerDecoderLayer" "scaled_dot_product_attention" "Attention" "SelfAttention" "CausalSelfAttention" "n_head" "nhead" "AutoModelForCausalLM" "AutoModel")
 (#once!))
