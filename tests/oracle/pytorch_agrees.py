"""PyTorch as the outside oracle: a model that gait trained, rebuilt in torch from its checkpoint, must have
the validation loss that gait reports, on the same windows of the same text.

    pytorch_agrees.py GAIT SOURCE_ROOT
"""
import glob
import json
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

LIMIT_NATS = 1e-6  # f32 sums in another order, against float64 here


def forward(w, tokens, layers, heads):
    """Logits (B, T, V) of GPT-2 with weights stored (outputs, inputs)."""
    B, T = tokens.shape
    x = w["wte.weight"][tokens] + w["wpe.weight"][:T]
    C = x.shape[-1]
    for i in range(layers):
        p = f"h.{i}."
        norm = lambda name, v: F.layer_norm(v, (C,), w[p + name + ".weight"], w.get(p + name + ".bias"), 1e-5)
        linear = lambda name, v: F.linear(v, w[p + name + ".weight"], w.get(p + name + ".bias"))
        q, k, v = linear("attn.c_attn", norm("ln_1", x)).split(C, dim=2)
        q, k, v = (t.view(B, T, heads, C // heads).transpose(1, 2) for t in (q, k, v))
        att = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear("attn.c_proj", att.transpose(1, 2).reshape(B, T, C))
        x = x + linear("mlp.c_proj", F.gelu(linear("mlp.c_fc", norm("ln_2", x)), approximate="tanh"))
    x = F.layer_norm(x, (C,), w["ln_f.weight"], w.get("ln_f.bias"), 1e-5)
    return x @ w["wte.weight"].T


def validation_loss(w, text, fraction, context, min_context, layers, heads):
    vocabulary = {c: i for i, c in enumerate(sorted(set(text)))}
    ids = torch.tensor([vocabulary[c] for c in text])
    held = ids[len(ids) - round(len(ids) * fraction):]
    begins = range(0, len(held) - context, context - min_context)
    inputs = torch.stack([held[b:b + context] for b in begins])
    targets = torch.stack([held[b + 1:b + 1 + context] for b in begins])
    logits = forward(w, inputs, layers, heads)
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(targets.shape)
    return losses[:, min_context:].mean().item()


def one_case(gait, text_path, text, layers, heads, width, context, min_context, bias, engine):
    with tempfile.TemporaryDirectory() as folder:
        open(f"{folder}/empty.yaml", "w").write("{}\n")  # all defaults
        out = subprocess.run(
            [gait, "train", f"{folder}/empty.yaml", "--quiet", "--json", "--dataset", text_path, "--layers", str(layers),
             "--heads", str(heads), "--width", str(width), "--context", str(context), "--eval-min-context", str(min_context),
             "--bias", bias, "--engine", engine, "--batch-size", "5", "--steps", "40", "--warmup-steps", "5",
             "--eval-batches", "1000000", "--checkpoint-dir", folder],
            check=True, capture_output=True, text=True)
        result = json.loads(out.stdout)
        w = {k: v.double() for k, v in load_file(f"{folder}/step-00000040/model.safetensors").items()}
    assert sum(v.numel() for v in w.values()) == result["parameters"]
    theirs = validation_loss(w, text, 0.1, context, min_context, layers, heads)
    difference = abs(result["validation_loss"] - theirs)
    print(f"{engine:9} {layers} x {width}, {heads} heads, context {context}, from {min_context}, bias {bias:5}  "
          f"gait {result['validation_loss']:.7f}  torch {theirs:.7f}  difference {difference:.1e}")
    return difference


def main():
    gait, root = sys.argv[1:3]
    pages = sorted(glob.glob(f"{root}/docs/*.md") + [f"{root}/ARCHITECTURE.md", f"{root}/LICENSE"])
    text = "".join(open(p, encoding="utf-8").read() for p in pages)
    with tempfile.TemporaryDirectory() as folder:
        open(f"{folder}/text.txt", "w", encoding="utf-8").write(text)
        worst = max(
            one_case(gait, f"{folder}/text.txt", text, *case)
            for case in [(2, 3, 48, 37, 0, "true", "onednn"), (2, 3, 48, 37, 5, "true", "reference"),
                         (1, 1, 17, 11, 10, "false", "own"), (3, 4, 64, 64, 32, "true", "onednn")])
    print(f"worst difference {worst:.1e} nats, allowed {LIMIT_NATS:.0e}")
    assert worst <= LIMIT_NATS


main()
