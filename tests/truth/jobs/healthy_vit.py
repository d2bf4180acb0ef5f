"""A ViT on small images in bfloat16, with a warm-up and clipped gradients."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_images, log

SIDE, CLASSES, WARM_UP = 32, 10, 50


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


def main():
    args = arguments(batch=(48, 2), width=(160, 32), heads=(5, 2), layers=(4, 2))
    torch.manual_seed(0)
    model = ViT(args, SIDE, 4, CLASSES)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / WARM_UP))
    for step, (images, classes) in enumerate(labelled_images(args, SIDE, CLASSES), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(images)
        loss = F.cross_entropy(logits.float(), classes, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        optimizer.step()
        schedule.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
