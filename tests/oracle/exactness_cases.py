"""What exactness.py compares: models, the settings they are trained with, and how many draws of weights and data."""
from dataclasses import dataclass, field

from oracle_models import Shape
from torch_training import AdamW

STEPS = 20  # of the long movement
TORCH_EPSILON = 1e-8  # PyTorch's default


@dataclass(frozen=True)
class Variant:
    """One way of training the same model. What a key says must change the time or the memory, not the result."""
    name: str
    settings: dict = field(default_factory=dict)
    accumulation: int = 1


@dataclass(frozen=True)
class Case:
    name: str
    shape: Shape
    optimizer: AdamW  # with an epsilon of the size of the gradients: see exactness.py
    variants: tuple
    rows: int = 4  # a step
    draws: int = 4
    std: float = 0.05
    default_epsilon: bool = True  # also with TORCH_EPSILON


FUSED = dict(fused_qkv=True, fused_gate_up=True)
UNFUSED = dict(fused_qkv=False, fused_gate_up=False)
PLAIN, TILED = dict(attention="plain"), dict(attention="tiled")
RECOMPUTE = dict(recompute=True)

GPT2_ADAMW = AdamW(beta2=0.95, epsilon=1e-2)
LLAMA_ADAMW = AdamW(beta2=0.999, epsilon=1e-2)

CASES = (
    Case("gpt2 tied", Shape("gpt2", layers=2, heads=3, width=51, context=37, vocab=97), GPT2_ADAMW, (
        Variant("default"),
        Variant("fused, tiled", FUSED | TILED),
        Variant("unfused, plain", UNFUSED | PLAIN),
        Variant("recompute", RECOMPUTE),
        Variant("2 micro-batches", accumulation=2),
    )),
    Case("gpt2 untied", Shape("gpt2", layers=3, heads=3, width=48, context=37, vocab=97, hidden=101, tied=False),
         GPT2_ADAMW, (
        Variant("default"),
        Variant("plain, recompute, 2 micro-batches", PLAIN | RECOMPUTE, accumulation=2),
    )),
    # A Hugging Face directory always has biases: this one begins with the product's own weights.
    Case("gpt2 no bias", Shape("gpt2", layers=2, heads=3, width=48, context=37, vocab=97, bias=False), GPT2_ADAMW,
         (Variant("default"),), default_epsilon=False),
    Case("llama tied, 1 kv head", Shape("llama", layers=2, heads=3, kv_heads=1, width=54, context=37, vocab=97,
                                        hidden=101, norm_epsilon=1e-6), LLAMA_ADAMW, (
        Variant("default"),
        Variant("fused, tiled", FUSED | TILED),
        Variant("unfused, plain", UNFUSED | PLAIN),
        Variant("recompute", RECOMPUTE),
        Variant("2 micro-batches", accumulation=2),
    )),
    Case("llama untied, llama3 rope", Shape("llama", layers=3, heads=3, width=54, context=37, vocab=97, hidden=101,
                                            tied=False, rope_theta=500000.0, rope_scaling=True), LLAMA_ADAMW, (
        Variant("default"),
        Variant("unfused, plain, recompute, 2 micro-batches", UNFUSED | PLAIN | RECOMPUTE, accumulation=2),
    )),
    # Its shortest vector has 768 numbers: one draw is enough.
    Case("gpt2 124M", Shape("gpt2", layers=12, heads=12, width=768, context=64, vocab=50257),
         AdamW(beta2=0.95, epsilon=1e-3), (Variant("default"),), rows=1, draws=1, std=0.02, default_epsilon=False),
)
