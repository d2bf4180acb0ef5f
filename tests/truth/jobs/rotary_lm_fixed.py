"""A decoder-only language model with rotary positions and SwiGLU layers, in the manner of a causal LM with labels."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log, token_stream


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate_up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(2 * width, width, bias=False)

    def forward(self, x, cos, sin):
        q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        gate, up = self.gate_up(self.norm2(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class CausalLM(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.layers = nn.ModuleList(Layer(args.width, args.heads) for _ in range(args.layers))
        self.norm, self.head = nn.RMSNorm(args.width), nn.Linear(args.width, args.vocab, bias=False)
        half = args.width // args.heads // 2
        angle = torch.arange(args.length)[:, None] * 10_000 ** (-torch.arange(half) / half)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, input_ids, labels):
        x = self.tokens(input_ids)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin)
        logits = self.head(self.norm(x))
        shift_labels = F.pad(labels[:, 1:], (0, 1), value=-100)
        return F.cross_entropy(logits.view(-1, logits.size(-1)), shift_labels.view(-1))


def main():
    args = arguments(batch=(2, 2), length=(192, 16), width=(64, 32), heads=(4, 2), layers=(2, 2), vocab=(22_016, 64))
    torch.manual_seed(0)
    model = CausalLM(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, betas=(0.9, 0.95), fused=True)
    rows = torch.from_numpy(token_stream(args)).unfold(0, args.length, args.length // 2)
    for step in range(1, args.steps + 1):
        batch = rows[torch.randint(len(rows), (args.batch,))]
        loss = model(batch, labels=batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
