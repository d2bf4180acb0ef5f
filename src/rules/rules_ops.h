/* Rules about operators and the way they are put together. How a line is made: rule.h. */
#ifndef GAIT_RULES_RULES_OPS_H
#define GAIT_RULES_RULES_OPS_H

#define RULE_NEEDS_OPS NEEDS_TORCH
#define RULE_NEEDS_SHAPES (RULE_NEEDS_OPS | NEEDS_SHAPES)
#define RULE_NEEDS_FLOW (RULE_NEEDS_OPS | NEEDS_FLOW)
#define RULE_NEEDS_WATCHED (RULE_NEEDS_OPS | NEEDS_WATCHED)

#define RULE_LIST_OPS(R)                                                                 \
    R(optimizer_unfused, "optimizer-unfused",                                            \
      "unfused optimizer, parameter by parameter", RULE_NEEDS_OPS, LOW, 0, 0.01,         \
      LIMIT(16, "operators in an optimizer's step"))                                     \
    R(attention_unfused, "attention-unfused", "unfused attention", RULE_NEEDS_SHAPES,    \
      MEDIUM, 0, 0.01, LIMIT(0.02, "held, of a step"))                                   \
    R(qkv_unfused, "qkv-unfused", "separate matmuls for Q, K and V", RULE_NEEDS_SHAPES,  \
      MEDIUM, 0, 0.01, LIMIT(0.02, "held, of a step"))                                   \
    R(elementwise_chain, "elementwise-chain", "chain of elementwise operators",          \
      RULE_NEEDS_SHAPES, LOW, 1, 0.02, LIMIT(4, "passes of a chain"),                    \
      LIMIT(0.03, "held, of a step"))                                                    \
    R(precision_f32, "precision-f32", "matmuls in float32",                              \
      RULE_NEEDS_OPS | NEEDS_TYPES | NEEDS_PEAKS, LOW, 0, 0.05,                          \
      LIMIT(0.5, "of the products' work in f32"), LIMIT(0.2, "products, of a step"),     \
      LIMIT(0.15, "of the work in f32, where measured"))                                 \
    R(repeated_casts, "repeated-casts", "redundant copies and casts", RULE_NEEDS_FLOW,   \
      LOW, 0, 0.01, NO_LIMITS)                                                           \
    R(invariant_rebuilt, "invariant-rebuilt", "constant recomputed in every step",       \
      RULE_NEEDS_FLOW, LOW, 0, 0.01, NO_LIMITS)                                          \
    R(repeated_work, "repeated-work", "computation repeated within a step",              \
      RULE_NEEDS_FLOW, LOW, 0, 0.01, NO_LIMITS)                                          \
    R(backward_twice, "backward-twice", "several backward passes where one would do",    \
      RULE_NEEDS_FLOW, LOW, 0, 0.01, NO_LIMITS)                                          \
    R(zeros_computed, "zeros-computed", "work on zeros", RULE_NEEDS_WATCHED, MEDIUM, 0,  \
      0.02, NO_LIMITS)                                                                   \
    R(partly_used, "partly-used", "results of which little is used", RULE_NEEDS_FLOW,    \
      MEDIUM, 0, 0.02, NO_LIMITS)                                                        \
    R(rows_repeated, "rows-repeated", "work repeated on copies of rows",                 \
      RULE_NEEDS_FLOW, MEDIUM, 0, 0.02, NO_LIMITS)                                       \
    R(product_order, "product-order", "matmuls in a costly order", RULE_NEEDS_FLOW, LOW, \
      0, 0.02, NO_LIMITS)                                                                \
    R(gradients_unused, "gradients-unused", "gradients computed but never used",         \
      RULE_NEEDS_FLOW, LOW, 0, 0.01, NO_LIMITS)                                          \
    R(wider_type, "wider-type", "needless float64 computation", RULE_NEEDS_FLOW, LOW, 0, \
      0.01, NO_LIMITS)                                                                   \
    R(small_tensors, "small-tensors", "many small calls instead of one",                 \
      RULE_NEEDS_WATCHED, LOW, 0, 0.01,                                                  \
      LIMIT(8, "medians of the step's gaps between operators"))                          \
    R(recompute_needless, "recompute-needless", "forward pass recomputed in backward",   \
      RULE_NEEDS_WATCHED, MEDIUM, 0, 0.02, NO_LIMITS)                                    \
    R(embedding_gradient, "embedding-gradient",                                          \
      "dense gradient of a sparsely used embedding", RULE_NEEDS_SHAPES, MEDIUM, 0, 0.01, \
      LIMIT(8, "rows for each that a batch reads"))                                      \
    R(clip_cost, "clip-cost", "gradient clipping by hand", RULE_NEEDS_OPS, LOW, 0, 0.01, \
      LIMIT(16, "norms a step"), LIMIT(1, "copies of all gradients a step"))             \
    R(clear_cost, "clear-cost", "gradients zeroed in place", RULE_NEEDS_OPS, LOW, 0,     \
      0.01, LIMIT(0.01, "held, of a step"), LIMIT(4, "gradients zeroed a step"))

#define FIX_LIST_OPS(F)                                                                  \
    F("optimizer-unfused",                                                               \
      "# your own optimizer, with fused=True among its arguments:\n"                     \
      "optimizer = torch.optim.AdamW(model.parameters(), lr=lr, fused=True)",            \
      NULL)                                                                              \
    F("attention-unfused",                                                               \
      "# instead of softmax(q @ k.transpose(-2, -1) * scale + mask) @ v:\n"              \
      "# the model's own mask: attn_mask=mask, or is_causal=True; none where it has "    \
      "none\n"                                                                           \
      "y = F.scaled_dot_product_attention(q, k, v)\n"                                    \
      "# or attn_mask=mask where the mask is another one",                               \
      "attention: tiled")                                                                \
    F("qkv-unfused",                                                                     \
      "self.qkv = nn.Linear(width, 3 * width)    # instead of q, k and v\n"              \
      "q, k, v = self.qkv(x).chunk(3, dim=-1)",                                          \
      "fused_qkv: true")                                                                 \
    F("elementwise-chain",                                                               \
      "# the operator that does it in one pass, where there is one:\n"                   \
      "y = F.gelu(x, approximate=\"tanh\")    # F.layer_norm, F.rms_norm, F.silu …\n"  \
      "# else let the compiler make it:\n"                                               \
      "block = torch.compile(block)",                                                    \
      NULL)                                                                              \
    F("precision-f32",                                                                   \
      "with torch.autocast(\"cpu\", torch.bfloat16):    # or \"cuda\"\n"                 \
      "    loss = loss_of(model(x), y)",                                                 \
      "precision: bf16")                                                                 \
    F("precision-f32",                                                                   \
      "scaler = torch.amp.GradScaler(\"cuda\")    # float16: this GPU has no bfloat16\n" \
      "with torch.autocast(\"cuda\", torch.float16):\n"                                  \
      "    loss = loss_of(model(x), y)\n"                                                \
      "scaler.scale(loss).backward()\n"                                                  \
      "scaler.step(optimizer)\n"                                                         \
      "scaler.update()",                                                                 \
      NULL)                                                                              \
    F("repeated-casts",                                                                  \
      "y = F.scaled_dot_product_attention(q, k, v)    # no .clone(), no .contiguous()\n" \
      "x = norm(x)                # no .to(torch.float64).to(torch.float32) around it\n" \
      "x = norm2d(x)              # instead of permute, norm, permute back\n"            \
      "queue[oldest] = new        # in place, instead of torch.cat([queue, new])\n"      \
      "mask = mask.float()        # once, before the layers, not in each",               \
      NULL)                                                                              \
    F("invariant-rebuilt",                                                               \
      "# once, in __init__:\n"                                                           \
      "self.register_buffer(\"mask\", make_mask(length), persistent=False)\n"            \
      "# in forward:\n"                                                                  \
      "mask = self.mask[:length, :length]",                                              \
      NULL)                                                                              \
    F("repeated-work", "y = work(x)    # once; give y to all who need it", NULL)         \
    F("backward-twice", "(loss_a + loss_b).backward()    # instead of one call each",    \
      NULL)                                                                              \
    F("zeros-computed",                                                                  \
      "if weight:    # a term that counts nothing need not be computed\n"                \
      "    loss = loss + weight * extra_loss(model(x), y)\n"                             \
      "for i, expert in enumerate(experts):    # each its own rows, not all of them\n"   \
      "    rows = (chosen == i).nonzero()[:, 0]\n"                                       \
      "    out.index_add_(0, rows, expert(x[rows]) * gate[rows, i, None])\n"             \
      "h = table[ids]    # instead of F.one_hot(ids).float() @ table\n"                  \
      "near = near.to_sparse_csr()    # once; then near @ h",                            \
      NULL)                                                                              \
    F("partly-used",                                                                     \
      "logits = head(h[:, -1])                # instead of head(h)[:, -1]\n"             \
      "logits = head(h[labels != -100])       # instead of ignore_index=-100\n"          \
      "largest = scores.topk(5, -1).values    # instead of sorting all of them",         \
      NULL)                                                                              \
    F("rows-repeated",                                                                   \
      "h = layer(x)[ids]    # instead of layer(x[ids]), where ids has more rows than x", \
      NULL)                                                                              \
    F("product-order",                                                                   \
      "y = q @ (k.transpose(-2, -1) @ v)    # instead of (q @ k.transpose(-2, -1)) @ v", \
      NULL)                                                                              \
    F("gradients-unused",                                                                \
      "with torch.no_grad():            # what is not trained here\n"                    \
      "    fake = generator(noise)\n"                                                    \
      "# or x.detach(), or p.requires_grad_(False) for weights that stay as they are",   \
      NULL)                                                                              \
    F("wider-type",                                                                      \
      "x = x.float()    # float32 throughout; torch.as_tensor(array, "                   \
      "dtype=torch.float32) for NumPy's",                                                \
      NULL)                                                                              \
    F("small-tensors",                                                                   \
      "tokens = torch.tensor(all_tokens)               # once, before the loop\n"        \
      "batch = tokens[starts[:, None] + torch.arange(length)]    # (batch, length)",     \
      NULL)                                                                              \
    F("recompute-needless",                                                              \
      "x = block(x)    # instead of checkpoint(block, x), where memory allows",          \
      "recompute: false")                                                                \
    F("embedding-gradient",                                                              \
      "model.table = nn.Embedding(rows, width, sparse=True)\n"                           \
      "rest = [p for n, p in model.named_parameters() if not "                           \
      "n.startswith(\"table.\")]\n"                                                      \
      "optimizers = [torch.optim.SGD(model.table.parameters(), lr=lr),    # or "         \
      "SparseAdam\n"                                                                     \
      "              torch.optim.SGD(rest, lr=lr, fused=True)]",                         \
      NULL)                                                                              \
    F("clip-cost", "torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)",   \
      NULL)                                                                              \
    F("clear-cost", "optimizer.zero_grad()    # set_to_none=True, as it is by default",  \
      NULL)

#endif
