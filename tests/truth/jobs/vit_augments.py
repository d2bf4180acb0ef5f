"""A ViT on small photographs, each one cropped, turned and coloured anew."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from training import arguments, log

STORED, SIDE, CLASSES = 48, 32, 20


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    """Classes of images (batch, 3, side, side), by patches and a token for the class."""

    def __init__(self, args, side, patch, classes):
        super().__init__()
        self.patches = nn.Conv2d(3, args.width, patch, stride=patch)
        self.first = nn.Parameter(torch.zeros(1, 1, args.width))
        self.places = nn.Parameter(0.02 * torch.randn((side // patch) ** 2 + 1, args.width))
        self.layers = nn.Sequential(*(Layer(args.width, args.heads) for _ in range(args.layers)))
        self.head = nn.Sequential(nn.LayerNorm(args.width), nn.Linear(args.width, classes))

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(len(x), -1, -1).to(x.dtype), x], 1) + self.places
        return self.head(self.layers(x)[:, 0])


class Photographs(Dataset):
    def __init__(self, args):
        rng = np.random.default_rng(0)
        self.photographs = rng.integers(0, 256, (256, STORED, STORED, 3), dtype=np.uint8)
        self.items = args.steps * args.batch

    def __len__(self):
        return self.items

    def __getitem__(self, i):
        rng = np.random.default_rng(i)
        which = i % len(self.photographs)
        top, left = rng.integers(0, STORED - SIDE, 2)
        image = self.photographs[which, top : top + SIDE, left : left + SIDE].astype(np.float32) / 255
        if rng.random() < 0.5:
            image = image[:, ::-1]
        grey = image @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
        image = grey[..., None] + (image - grey[..., None]) * rng.uniform(0.6, 1.4)
        image = np.clip(image * rng.uniform(0.7, 1.3), 0, 1) ** rng.uniform(0.8, 1.2)
        image = image + rng.normal(0, 0.02, image.shape)
        image = (image - image.mean((0, 1))) / (image.std((0, 1)) + 1e-5)
        return torch.from_numpy(image.transpose(2, 0, 1).astype(np.float32)), which % CLASSES


def main():
    args = arguments(batch=(32, 2), width=(192, 32), heads=(3, 2), layers=(2, 2))
    torch.manual_seed(0)
    model = ViT(args, SIDE, 4, CLASSES)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.05, fused=True)
    loader = DataLoader(Photographs(args), batch_size=args.batch)
    for step, (images, classes) in enumerate(loader, 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(images)
        loss = F.cross_entropy(logits.float(), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
