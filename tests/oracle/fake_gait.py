#!/usr/bin/env python3
"""A stand-in for the program, to test the oracles with: it has the commands that they run and writes the same files,
but is PyTorch. With --fault NAME it is wrong in one way, and an oracle must notice.

    fake_gait.py [--fault NAME] train CONFIG [--key value ...]
    fake_gait.py [--fault NAME] export CHECKPOINT --hf DIR
    fake_gait.py [--fault NAME] sample DIR --prompt-ids 1,2,3 [--tokens N --temperature 0 --print-ids] [--logits FILE]
"""
import json
import os
import shutil
import sys

import numpy
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

from oracle_models import CONV1D, canonical, micro_batch
from plain_model import PlainModel, load_hugging_face
from torch_training import autocast, rate_at

FAULTS = {
    "scaled-gradient": "the gradient of the last block's second norm is 1.001 times too large",
    "missed-transpose": "the square attn.c_proj (or o_proj) is loaded transposed",
    "frozen-layer": "the first block's MLP does not move",
    "no-decay": "the embedding escapes weight decay",
    "decayed-norms": "weight decay applies to norms too",
    "epsilon": "AdamW's epsilon is a tenth too large",
    "beta2": "the second moment forgets a fifth faster",
    "late-rate": "the learning rate is that of the step before",
    "late-positions": "keys stand a position later than they do; GPT-2's position embedding is shifted by one",
    "no-bias-correction": "AdamW does not correct its second moment",
    "no-clip": "gradients are not clipped",
    "half-batch": "with gradient accumulation the last micro-batch is left out",
    "rounded-masters": "bf16: the updated weights are rounded to bf16",
    "stale-weights": "the forward pass uses the weights of a step ago",
    "not-a-number": "one number of one gradient is NaN",
    "missing-parameter": "the checkpoint lacks one tensor",
}
NUMBERS = dict(batch_size=12, gradient_accumulation=1, steps=2000, learning_rate=1e-3, weight_decay=0.1, beta1=0.9,
               beta2=0.99, adam_epsilon=1e-8, gradient_clip=1.0, checkpoint_interval=0, layers=4, heads=4, width=128,
               context=64, seed=1337, warmup_steps=100, min_learning_rate=0.0, eval_batches=100, eval_batch_size=0, threads=0)


def read_settings(path, flags):
    """Lines of key: value, and --key value on top."""
    settings = dict(NUMBERS)
    with open(path) as f:
        pairs = [line.split(":", 1) for line in f if ":" in line]
    pairs += [(flags[i].removeprefix("--").replace("-", "_"), flags[i + 1]) for i in range(0, len(flags), 2)]
    for key, value in pairs:
        key, value = key.strip(), value.strip().strip('"')
        settings[key] = type(NUMBERS[key])(float(value)) if key in NUMBERS else value
    return settings


def fresh_model(c, vocab):
    """GPT-2 as nanoGPT starts it."""
    torch.manual_seed(c["seed"])
    config = dict(model_type="gpt2", n_head=c["heads"], n_layer=c["layers"], n_positions=c["context"],
                  n_embd=c["width"], vocab_size=vocab, layer_norm_epsilon=1e-5)
    width, weights = c["width"], {}

    def add(name, *shape, std=0.02):
        weights[name] = torch.randn(shape) * std

    add("wte.weight", vocab, width)
    add("wpe.weight", c["context"], width)
    for i in range(c["layers"]):
        last = 0.02 / (2 * c["layers"]) ** 0.5
        for name, outputs, inputs, std in (("attn.c_attn", 3 * width, width, 0.02), ("attn.c_proj", width, width, last),
                                           ("mlp.c_fc", 4 * width, width, 0.02), ("mlp.c_proj", width, 4 * width, last)):
            add(f"h.{i}.{name}.weight", outputs, inputs, std=std)
            weights[f"h.{i}.{name}.bias"] = torch.zeros(outputs)
    for norm in ["ln_f"] + [f"h.{i}.ln_{k}" for i in range(c["layers"]) for k in (1, 2)]:
        weights[norm + ".weight"], weights[norm + ".bias"] = torch.ones(width), torch.zeros(width)
    return PlainModel(config, weights)


class Trainer:
    def __init__(self, c, fault):
        self.c, self.fault = c, fault
        with open(f"{c['dataset']}/meta.json") as f:
            vocab = json.load(f)["vocab_size"]
        self.tokens, self.held = (torch.from_numpy(numpy.fromfile(f"{c['dataset']}/{part}.bin", numpy.uint16).astype(
            numpy.int64)) for part in ("train", "val"))
        self.model = self.open_model(vocab)
        if c.get("bias") == "false":
            for name in [n for n in self.model.weights if n.endswith(".bias")]:
                del self.model.weights[name]
        self.model.shift = int(fault == "late-positions")
        self.weights = self.model.weights
        self.m = {n: torch.zeros_like(w) for n, w in self.weights.items()}
        self.v = {n: torch.zeros_like(w) for n, w in self.weights.items()}
        self.last = f"h.{self.model.layers - 1}.ln_2" if self.model.gpt2 else (
            f"layers.{self.model.layers - 1}.post_attention_layernorm")
        self.past = None

    def open_model(self, vocab):
        if not self.c.get("init_from"):
            return fresh_model(self.c, vocab)
        model = open_model(self.c["init_from"], self.fault)
        if self.fault == "missed-transpose" and not model.gpt2:
            for name in [n for n in model.weights if n.endswith("o_proj.weight")]:
                model.weights[name] = model.weights[name].T.contiguous()
        return model

    def batch(self, position):
        rows, context = self.c["batch_size"] // self.c["gradient_accumulation"], self.model.context
        if self.c.get("shuffle", "true") == "false":
            return micro_batch(self.tokens, position, rows, context)
        source = torch.Generator().manual_seed(self.c["seed"] * 1000003 + position)
        begins = torch.randint(0, len(self.tokens) - context, (rows,), generator=source)
        return (torch.stack([self.tokens[b:b + context] for b in begins]),
                torch.stack([self.tokens[b + 1:b + 1 + context] for b in begins]))

    def loss(self, inputs, targets, weights):
        self.model.weights = weights
        with autocast(self.c.get("precision", "f32")):
            logits = self.model.logits(inputs)
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    def gradients(self, step):
        stale = self.past if self.fault == "stale-weights" and self.past else self.weights
        leaves = {n: w.clone().requires_grad_() for n, w in stale.items()}
        micro = self.c["gradient_accumulation"]
        used = micro - (self.fault == "half-batch" and micro > 1)
        total = 0.0
        for i in range(used):
            loss = self.loss(*self.batch(step * micro + i), leaves) / used
            loss.backward()
            total += loss.item()
        return total, {n: w.grad for n, w in leaves.items()}

    def rate(self, step):
        c = self.c
        if self.fault == "late-rate":
            step = max(step - 1, 0)
        if c.get("schedule") != "cosine":
            return c["learning_rate"]
        return rate_at(step, c["steps"], c["learning_rate"], c["min_learning_rate"], c["warmup_steps"])

    def update(self, grads, t):
        c, rate = self.c, self.rate(t - 1)
        beta2 = 1 - (1 - c["beta2"]) * (1.2 if self.fault == "beta2" else 1)
        for n, w in self.weights.items():
            g, m, v = grads[n], self.m[n], self.v[n]
            m.mul_(c["beta1"]).add_(g, alpha=1 - c["beta1"])
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            hat = v / (1 if self.fault == "no-bias-correction" else 1 - beta2 ** t)
            root = hat.sqrt() + c["adam_epsilon"] * (1.1 if self.fault == "epsilon" else 1)
            if self.fault == "frozen-layer" and ".0.mlp." in n:
                continue
            decays = w.dim() > 1 or self.fault == "decayed-norms"
            if self.fault == "no-decay" and n in ("wte.weight", "embed_tokens.weight"):
                decays = False
            w.mul_(1 - rate * c["weight_decay"] * decays)
            w.sub_(rate / (1 - c["beta1"] ** t) * m / root)
            if self.fault == "rounded-masters" and c.get("precision") == "bf16":
                w.copy_(w.bfloat16())

    def step(self, step):
        loss, grads = self.gradients(step)
        if self.fault == "scaled-gradient":
            grads[self.last + ".weight"] *= 1.001
        if self.fault == "not-a-number":
            grads[self.last + ".weight"][0] = torch.nan
        norm = torch.sqrt(sum((g * g).sum() for g in grads.values()))
        if self.c["gradient_clip"] and self.fault != "no-clip":
            scale = min(1.0, self.c["gradient_clip"] / (norm.item() + 1e-6))
            grads = {n: g * scale for n, g in grads.items()}
        self.past = {n: w.clone() for n, w in self.weights.items()} if self.fault == "stale-weights" else None
        self.update(grads, step + 1)
        return loss

    def save(self, step):
        folder = f"{self.c['checkpoint_dir']}/step-{step:08d}"
        os.makedirs(folder)
        kept = {n: w for n, w in self.weights.items() if self.fault != "missing-parameter" or n != self.last + ".weight"}
        save_file(kept, f"{folder}/model.safetensors")
        save_file({f"{k}.{n}": t for k, d in (("m", self.m), ("v", self.v)) for n, t in d.items()},
                  f"{folder}/optimizer.safetensors")
        with open(f"{folder}/config.json", "w") as f:  # the real program keeps the shape in its own way
            json.dump(self.model.config, f)

    @torch.no_grad()
    def validate(self):
        rows, total = self.c["eval_batch_size"] or self.c["batch_size"], 0.0
        n = min(self.c["eval_batches"], (len(self.held) - 1) // (rows * self.model.context))
        for position in range(n):
            total += self.loss(*micro_batch(self.held, position, rows, self.model.context), self.weights).item()
        return total / n if n else float("nan")


def train(arguments, fault):
    flags = [a for a in arguments[1:] if a not in ("--quiet", "--json")]
    c = read_settings(arguments[0], flags)
    trainer = Trainer(c, fault)
    log = None
    if c.get("log_dir"):
        os.makedirs(c["log_dir"], exist_ok=True)
        log = open(f"{c['log_dir']}/metrics.jsonl", "w")
    for step in range(c["steps"]):
        loss = trainer.step(step)
        if log:
            log.write(json.dumps({"step": step + 1, "loss": loss}) + "\n")
        if c.get("checkpoint_dir") and ((step + 1) == c["steps"] or (
                c["checkpoint_interval"] and (step + 1) % c["checkpoint_interval"] == 0)):
            trainer.save(step + 1)
    if log:
        log.close()
    if "--json" in arguments:
        print(json.dumps({"loss": loss, "validation_loss": trainer.validate()}))


def open_model(folder, fault):
    weights = load_file(f"{folder}/model.safetensors")
    if any(n.startswith(("transformer.", "model.")) for n in weights):
        return load_hugging_face(folder, transpose_square=fault != "missed-transpose")
    with open(f"{folder}/config.json") as f:
        return PlainModel(json.load(f), weights)


def export(arguments, fault):
    source, out = arguments[0], arguments[arguments.index("--hf") + 1]
    model = open_model(source, None)
    prefix = "transformer." if model.gpt2 else "model."
    weights = {n if n.startswith("lm_head") else prefix + n: w for n, w in model.weights.items()}
    for name in weights:
        square = name.endswith("attn.c_proj.weight")
        if model.gpt2 and name.endswith(CONV1D) and not (square and fault == "missed-transpose"):
            weights[name] = weights[name].T.contiguous()
    os.makedirs(out, exist_ok=True)
    save_file(weights, f"{out}/model.safetensors", metadata={"format": "pt"})
    shutil.copy(f"{source}/config.json", f"{out}/config.json")


@torch.no_grad()
def sample(arguments, fault):
    option = dict(zip(arguments[1:], arguments[2:]))
    model = open_model(arguments[0], fault)
    ids = [int(i) for i in option["--prompt-ids"].split(",")]
    if "--logits" in option:
        save_file({"logits": model.logits(torch.tensor([ids]))[0].contiguous()}, option["--logits"])
    new = []
    for _ in range(int(option.get("--tokens", 0))):
        seen = torch.tensor([(ids + new)[-model.context:]])
        new.append(model.logits(seen)[0, -1].argmax().item())
    if "--print-ids" in arguments:
        print(" ".join(map(str, new)))


def main(arguments):
    fault = None
    if arguments[0] == "--fault":
        fault, arguments = arguments[1], arguments[2:]
        if fault not in FAULTS:
            sys.exit(f"no fault is called {fault}; there are: {', '.join(FAULTS)}")
    {"train": train, "export": export, "sample": sample}[arguments[0]](arguments[1:], fault)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    torch.set_num_threads(2)
    main(sys.argv[1:])
