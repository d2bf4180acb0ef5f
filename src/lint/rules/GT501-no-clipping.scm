; GT501 no-clipping off
; title: gradients of a transformer or RNN are never clipped
; why: one bad batch gives a gradient many times the usual; unclipped it throws the weights off, and the steps after it are spent on recovering, or lost
; fix: torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0) between backward() and step(); scaler.unscale_(optimizer) before it
((call function: (attribute object: (_) @optimizer attribute: (identifier) @name)) @hit
 (#eq? @name "step")
 (#kind? @optimizer "optimizer")
 (#training-loop?) (#not-in-module? @hit)
 (#job-has? "*vocab*" "ntoken" "ntokens" "*tokenizer*" "AutoModelForCausalLM" "GPT2LMHeadModel")
 (#job-has? "*multihead*" "*n_head*" "*num_head*" "nhead" "*attn_head*" "*causal*" "*ForSeq2SeqLM*" "*ForConditionalGeneration*" "*TransformerEncoder*" "*TransformerDecoder*" "Transformer" "scaled_dot_product_attention" "*lstm*" "GRU" "GRUCell" "RNN" "tril")
 (#job-has? "Adam" "AdamW")
 (#job-has? "save" "save_pretrained" "save_state" "*checkpoint*" "<calls eval()>")
 (#not-job-has? "*clip_grad*" "*clip_norm*" "*grad_norm*" "*gradient_clip*" "*grad_clip*" "*clipnorm*" "*clip_val*" "*clip_gradient*" "clip" "clip_" "clamp_" "max_norm" "*adafactor*" "*lamb*" "*lion*" "*muon*" "*lars*" "*shampoo*" "<own optimizer>" "<unread imports>" "lightning" "pytorch_lightning" "*deepspeed*" "*megatron*" "pytest" "unittest"))

((call function: (attribute object: (_) @scaler attribute: (identifier) @name)) @hit
 (#eq? @name "step")
 (#word? @scaler "scaler")
 (#training-loop?) (#not-in-module? @hit)
 (#job-has? "*vocab*" "ntoken" "ntokens" "*tokenizer*" "AutoModelForCausalLM" "GPT2LMHeadModel")
 (#job-has? "*multihead*" "*n_head*" "*num_head*" "nhead" "*attn_head*" "*causal*" "*ForSeq2SeqLM*" "*ForConditionalGeneration*" "*TransformerEncoder*" "*TransformerDecoder*" "Transformer" "scaled_dot_product_attention" "*lstm*" "GRU" "GRUCell" "RNN" "tril")
 (#job-has? "Adam" "AdamW")
 (#job-has? "save" "save_pretrained" "save_state" "*checkpoint*" "<calls eval()>")
 (#not-job-has? "*clip_grad*" "*clip_norm*" "*grad_norm*" "*gradient_clip*" "*grad_clip*" "*clipnorm*" "*clip_val*" "*clip_gradient*" "clip" "clip_" "clamp_" "max_norm" "*adafactor*" "*lamb*" "*lion*" "*muon*" "*lars*" "*shampoo*" "<own optimizer>" "<unread imports>" "lightning" "pytorch_lightning" "*deepspeed*" "*megatron*" "pytest" "unittest"))

((call function: (attribute object: (_) @optimizer attribute: (identifier) @name)) @hit
 (#eq? @name "step")
 (#kind? @optimizer "optimizer")
 (#training-loop?) (#not-in-module? @hit)
 (#job-has? "Embedding")
 (#job-has? "*lstm*" "GRU" "GRUCell" "RNN")
 (#job-has? "Adam" "AdamW")
 (#job-has? "save" "save_pretrained" "save_state" "*checkpoint*" "<calls eval()>")
 (#not-job-has? "*clip_grad*" "*clip_norm*" "*grad_norm*" "*gradient_clip*" "*grad_clip*" "*clipnorm*" "*clip_val*" "*clip_gradient*" "clip" "clip_" "clamp_" "max_norm" "*adafactor*" "*lamb*" "*lion*" "*muon*" "*lars*" "*shampoo*" "<own optimizer>" "<unread imports>" "lightning" "pytorch_lightning" "*deepspeed*" "*megatron*" "pytest" "unittest"))

((call function: (attribute object: (_) @scaler attribute: (identifier) @name)) @hit
 (#eq? @name "step")
 (#word? @scaler "scaler")
 (#training-loop?) (#not-in-module? @hit)
 (#job-has? "Embedding")
 (#job-has? "*lstm*" "GRU" "GRUCell" "RNN")
 (#job-has? "Adam" "AdamW")
 (#job-has? "save" "save_pretrained" "save_state" "*checkpoint*" "<calls eval()>")
 (#not-job-has? "*clip_grad*" "*clip_norm*" "*grad_norm*" "*gradient_clip*" "*grad_clip*" "*clipnorm*" "*clip_val*" "*clip_gradient*" "clip" "clip_" "clamp_" "max_norm" "*adafactor*" "*lamb*" "*lion*" "*muon*" "*lars*" "*shampoo*" "<own optimizer>" "<unread imports>" "lightning" "pytorch_lightning" "*deepspeed*" "*megatron*" "pytest" "unittest"))
