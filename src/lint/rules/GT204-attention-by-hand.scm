; GT204 attention-by-hand
; title: attention is computed step by step
; why: scores, mask, softmax and dropout each write and read a tensor of tokens x tokens, and keep it for the backward pass; the fused form never stores it
; fix: torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=…, dropout_p=…, scale=…)
; priced-by: attention-unfused
((call function: (_) @function arguments: (argument_list (_) @p)) @hit
 (#ends? @function "matmul" "bmm" "einsum")
 (#path? @p
  "dropout drop to type type_as float half bfloat16 view reshape contiguous transpose permute nan_to_num masked_fill where"
  "softmax Softmax"
  "masked_fill masked_fill_ where + * / to type type_as float view reshape unsqueeze squeeze mul div add mul_ div_ add_ contiguous []"
  "matmul bmm @ baddbmm"
  "* / to type_as float view reshape contiguous [] mul div"
  "transpose permute t mT T swapaxes rearrange")
 (#not-file-has? "scaled_dot_product_attention" "flash_attn_func" "flash_attn_varlen_func" "flash_attn_qkvpacked_func" "memory_efficient_attention" "flex_attention" "sdpa")
 (#in-forward?))

((binary_operator left: (_) @p operator: "@") @hit
 (#path? @p
  "dropout drop to type type_as float half bfloat16 view reshape contiguous transpose permute nan_to_num masked_fill where"
  "softmax Softmax"
  "masked_fill masked_fill_ where + * / to type type_as float view reshape unsqueeze squeeze mul div add mul_ div_ add_ contiguous []"
  "matmul bmm @ baddbmm"
  "* / to type_as float view reshape contiguous [] mul div"
  "transpose permute t mT T swapaxes rearrange")
 (#not-file-has? "scaled_dot_product_attention" "flash_attn_func" "flash_attn_varlen_func" "flash_attn_qkvpacked_func" "memory_efficient_attention" "flex_attention" "sdpa")
 (#in-forward?))

; both products as einsum
((call function: (_) @function arguments: (argument_list (_) @p)) @hit
 (#ends? @function "einsum")
 (#path? @p
  "dropout drop to type type_as float half bfloat16 view reshape contiguous nan_to_num masked_fill where"
  "softmax Softmax"
  "masked_fill masked_fill_ where + * / to type type_as float view reshape unsqueeze mul div add mul_ div_ add_"
  "einsum")
 (#not-file-has? "scaled_dot_product_attention" "flash_attn_func" "flash_attn_varlen_func" "flash_attn_qkvpacked_func" "memory_efficient_attention" "flex_attention" "sdpa")
 (#in-forward?))
