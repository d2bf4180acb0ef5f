"""A Perceiver: a few latent vectors read a long array of measurements, then think among themselves."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_vectors, log

CHANNELS, CLASSES = 16, 10


class Reader(nn.Module):
    """Latents (batch, latents, width) take what they look for from an array (batch, length, width)."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.norm, self.norm_array = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, latents, array):
        q = self.query(self.norm(latents)).unflatten(2, (self.heads, -1))
        k, v = self.key_value(self.norm_array(array)).unflatten(2, (2, self.heads, -1)).unbind(2)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.scale
        read = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)
        return latents + self.out(read.flatten(2))


def mlp(width):
    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))


class Perceiver(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.inputs = nn.Linear(CHANNELS, args.width)
        self.places = nn.Parameter(0.02 * torch.randn(args.length, args.width))
        self.latents = nn.Parameter(0.02 * torch.randn(args.latents, args.width))
        self.readers = nn.ModuleList(Reader(args.width, args.heads) for _ in range(args.layers))
        self.mlps = nn.ModuleList(mlp(args.width) for _ in range(args.layers))
        self.head = nn.Linear(args.width, CLASSES)

    def forward(self, x):
        array = self.inputs(x) + self.places
        latents = self.latents.expand(len(x), -1, -1)
        for reader, thought in zip(self.readers, self.mlps):
            latents = reader(latents, array)
            latents = latents + thought(latents)
        return self.head(latents.mean(1))


def main():
    args = arguments(batch=(8, 2), length=(512, 16), latents=(224, 4), width=(128, 16), heads=(4, 2), layers=(2, 2))
    torch.manual_seed(0)
    model = Perceiver(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step, (x, y) in enumerate(labelled_vectors(args, args.length * CHANNELS, CLASSES), 1):
        loss = F.cross_entropy(model(x.view(-1, args.length, CHANNELS)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
