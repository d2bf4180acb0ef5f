"""GPT-2 and Llama written out plainly over a dictionary of weights with canonical names: a second implementation,
independent of transformers, that fake_gait.py trains. Linear weights are (outputs, inputs)."""
import json
import math

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from oracle_models import CONV1D, canonical, rope_frequencies


class PlainModel:
    def __init__(self, config, weights):
        """config: the contents of a Hugging Face config.json. weights: name -> tensor, (outputs, inputs)."""
        self.config, self.weights = config, weights
        self.gpt2 = config["model_type"] == "gpt2"
        self.heads = config["n_head" if self.gpt2 else "num_attention_heads"]
        self.layers = config["n_layer" if self.gpt2 else "num_hidden_layers"]
        self.context = config["n_positions" if self.gpt2 else "max_position_embeddings"]
        self.vocab = config["vocab_size"]
        self.shift = 0  # a fault: of keys' positions, or of GPT-2's position embedding

    def linear(self, name, x):
        return F.linear(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"))

    def norm(self, name, x):
        weight = self.weights[name + ".weight"]
        if self.gpt2:
            bias = self.weights.get(name + ".bias")
            return F.layer_norm(x, (len(weight),), weight, bias, self.config["layer_norm_epsilon"])
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.config["rms_norm_eps"]) * weight

    def split(self, x, heads):
        rows, length, _ = x.shape
        return x.view(rows, length, heads, -1).transpose(1, 2)

    def turn(self, x, first=0):
        """Rotary positions: number j of a head's first half pairs with number j of its second half."""
        rope = self.config["rope_parameters"]
        f = rope_frequencies(x.shape[-1], rope["rope_theta"], rope if rope["rope_type"] == "llama3" else None)
        angle = torch.outer(torch.arange(first, first + x.shape[2], dtype=torch.float64), f)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def attention(self, q, k, v):
        """Plain causal attention; q (B, H, T, D), k and v may have fewer heads."""
        length = q.shape[2]
        k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], dim=1) for t in (k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        out = scores.masked_fill(mask, -math.inf).softmax(-1) @ v
        return out.transpose(1, 2).flatten(2)

    def gpt2_block(self, p, x):
        q, k, v = self.linear(p + "attn.c_attn", self.norm(p + "ln_1", x)).chunk(3, dim=-1)
        q, k, v = (self.split(t, self.heads) for t in (q, k, v))
        x = x + self.linear(p + "attn.c_proj", self.attention(q, k, v))
        inner = F.gelu(self.linear(p + "mlp.c_fc", self.norm(p + "ln_2", x)), approximate="tanh")
        return x + self.linear(p + "mlp.c_proj", inner)

    def llama_block(self, p, x):
        a = self.norm(p + "input_layernorm", x)
        kv_heads = self.config["num_key_value_heads"]
        q = self.turn(self.split(self.linear(p + "self_attn.q_proj", a), self.heads))
        k = self.turn(self.split(self.linear(p + "self_attn.k_proj", a), kv_heads), self.shift)
        v = self.split(self.linear(p + "self_attn.v_proj", a), kv_heads)
        x = x + self.linear(p + "self_attn.o_proj", self.attention(q, k, v))
        a = self.norm(p + "post_attention_layernorm", x)
        inner = F.silu(self.linear(p + "mlp.gate_proj", a)) * self.linear(p + "mlp.up_proj", a)
        return x + self.linear(p + "mlp.down_proj", inner)

    def logits(self, tokens):
        """(B, T) -> (B, T, V)"""
        table = self.weights["wte.weight" if self.gpt2 else "embed_tokens.weight"]
        x = table[tokens]
        if self.gpt2:
            x = x + self.weights["wpe.weight"].roll(self.shift, 0)[: tokens.shape[1]]
        for i in range(self.layers):
            x = self.gpt2_block(f"h.{i}.", x) if self.gpt2 else self.llama_block(f"layers.{i}.", x)
        x = self.norm("ln_f" if self.gpt2 else "norm", x)
        return F.linear(x, self.weights.get("lm_head.weight", table))


def load_hugging_face(folder, transpose_square=True):
    """A directory that save_pretrained() wrote. transpose_square=False forgets to transpose GPT-2's square
    attn.c_proj, which loads without a complaint and is wrong."""
    with open(f"{folder}/config.json") as f:
        config = json.load(f)
    weights = {canonical(n): w for n, w in load_file(f"{folder}/model.safetensors").items()}
    for name in weights:
        if config["model_type"] == "gpt2" and name.endswith(CONV1D):
            if transpose_square or not name.endswith("attn.c_proj.weight"):
                weights[name] = weights[name].T.contiguous()
    return PlainModel(config, weights)
