"""The models that the oracles compare on: transformers' own, filled with weights that leave no gradient at zero.

A parameter has a canonical name, Hugging Face's without the leading `transformer.` or `model.`, and linear weights
are (outputs, inputs) as in Gait's checkpoints; GPT-2's Conv1D modules hold them the other way round.
"""
import json
import math
import os
from dataclasses import dataclass

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy
import torch
import transformers

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

CONV1D = (".attn.c_attn.weight", ".attn.c_proj.weight", ".mlp.c_fc.weight", ".mlp.c_proj.weight")
UNSEEN_TOKENS = 3  # the last ids of a vocabulary never occur in random data: rows that only weight decay moves


@dataclass(frozen=True)
class Shape:
    family: str  # gpt2 or llama
    layers: int
    heads: int
    width: int
    context: int
    vocab: int
    kv_heads: int = 0  # llama; 0 = heads
    hidden: int = 0  # 0 = 4 x width
    tied: bool = True
    bias: bool = True  # gpt2; without: biases are zero and stay zero
    norm_epsilon: float = 1e-5
    rope_theta: float = 10000.0
    rope_scaling: bool = False  # llama3's


def config_of(s, attention=None):
    common = dict(vocab_size=s.vocab, tie_word_embeddings=s.tied, bos_token_id=None, eos_token_id=None,
                  use_cache=False, attn_implementation=attention)
    if s.family == "gpt2":
        return transformers.GPT2Config(
            n_positions=s.context, n_embd=s.width, n_layer=s.layers, n_head=s.heads, n_inner=s.hidden or None,
            layer_norm_epsilon=s.norm_epsilon, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, **common)
    rope = dict(rope_type="default", rope_theta=s.rope_theta)
    if s.rope_scaling:
        rope |= dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                     original_max_position_embeddings=max(s.context // 2, 1))
    return transformers.LlamaConfig(
        max_position_embeddings=s.context, hidden_size=s.width, num_hidden_layers=s.layers,
        num_attention_heads=s.heads, num_key_value_heads=s.kv_heads or s.heads,
        intermediate_size=s.hidden or 4 * s.width, rms_norm_eps=s.norm_epsilon, rope_parameters=rope, **common)


def build(s, attention=None):
    """The model in f32; attention None: what transformers chooses by itself."""
    model = (transformers.GPT2LMHeadModel if s.family == "gpt2" else transformers.LlamaForCausalLM)(
        config_of(s, attention))
    return model.train()


def fill(model, s, seed, std=0.05):
    """Random weights. Biases and norm weights keep within one power of two, so that rounding them is as coarse for
    all of their numbers: otherwise two or three numbers decide the error of a short vector."""
    source = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() > 1:
                p.normal_(0, std, generator=source)
            elif name.endswith(".weight"):
                p.uniform_(0.6, 0.95, generator=source)
            else:
                sign = torch.randint(0, 2, p.shape, generator=source) * 2 - 1
                p.uniform_(0.035, 0.06, generator=source).mul_(sign if s.bias else 0)
                p.requires_grad_(s.bias)
    return model


def canonical(name):
    for prefix in ("transformer.", "model."):
        name = name.removeprefix(prefix)
    return name


def is_conv1d(model, name):
    return isinstance(model, transformers.GPT2LMHeadModel) and name.endswith(CONV1D)


def trained(model):
    """The parameters that train: canonical name -> (parameter, its values lie transposed)."""
    return {canonical(n): (p, is_conv1d(model, n)) for n, p in model.named_parameters() if p.requires_grad}


class ExactNorm(torch.nn.Module):
    """Llama's norm in the precision of its input; transformers' casts to f32 whatever it is given."""

    def __init__(self, norm):
        super().__init__()
        self.weight, self.epsilon = norm.weight, norm.variance_epsilon

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon)


def rope_frequencies(head_width, theta, scaling=None):
    """Of the pairs of a head, in float64; scaling: llama3's parameters or None."""
    out = []
    for i in range(0, head_width, 2):
        f = theta ** (-i / head_width)
        if scaling:
            low = scaling["original_max_position_embeddings"] / scaling["low_freq_factor"]
            high = scaling["original_max_position_embeddings"] / scaling["high_freq_factor"]
            turn = 2 * math.pi / f
            smooth = (scaling["original_max_position_embeddings"] / turn - scaling["low_freq_factor"]) / (
                scaling["high_freq_factor"] - scaling["low_freq_factor"])
            slow = f / scaling["factor"]
            f = f if turn < high else slow if turn > low else (1 - smooth) * slow + smooth * f
        out.append(f)
    return torch.tensor(out, dtype=torch.float64)


class ExactRotary(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        rope = config.rope_parameters
        self.f = rope_frequencies(config.head_dim, rope["rope_theta"], rope if rope["rope_type"] == "llama3" else None)

    def forward(self, x, position_ids):
        angle = position_ids[..., None].double() * self.f
        angle = torch.cat((angle, angle), dim=-1)
        return angle.cos().to(x.dtype), angle.sin().to(x.dtype)


def to_float64(model):
    """The same model in float64 throughout: the truth. transformers' Llama falls back to f32 in its norms and its
    rotary angles, which would put 1e-7 of error into the truth, so these two are replaced."""
    model.double()
    if isinstance(model, transformers.LlamaForCausalLM):
        inner = model.model
        inner.rotary_emb = ExactRotary(model.config)
        inner.norm = ExactNorm(inner.norm)
        for layer in inner.layers:
            layer.input_layernorm = ExactNorm(layer.input_layernorm)
            layer.post_attention_layernorm = ExactNorm(layer.post_attention_layernorm)
    return model


def random_tokens(s, n, seed):
    return torch.randint(0, s.vocab - UNSEEN_TOKENS, (n,), generator=torch.Generator().manual_seed(seed))


def save_tokens(folder, tokens, vocab, validation=None):
    """A data directory as nanoGPT lays it out, the vocabulary's size in JSON."""
    os.makedirs(folder, exist_ok=True)
    held = tokens if validation is None else validation
    tokens.numpy().astype(numpy.uint16).tofile(f"{folder}/train.bin")
    held.numpy().astype(numpy.uint16).tofile(f"{folder}/val.bin")
    with open(f"{folder}/meta.json", "w") as f:
        json.dump({"vocab_size": vocab}, f)


def micro_batch(tokens, position, rows, context):
    """Inputs and targets (rows, context) at a position of the unshuffled order."""
    first = position * rows * context
    part = tokens[first:first + rows * context + 1]
    if len(part) != rows * context + 1:
        raise ValueError(f"{len(tokens)} tokens are too few for position {position} of {rows} x {context}")
    return part[:-1].view(rows, context), part[1:].view(rows, context)
