"""A masked autoencoder of weather maps: three quarters of the patches are hidden, others each time."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SHOWN = 0.25


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.feed(self.norm2(x))


class Autoencoder(nn.Module):
    def __init__(self, patches, size, width, heads, layers):
        super().__init__()
        self.enter, self.place = nn.Linear(size, width), nn.Parameter(0.02 * torch.randn(patches, width))
        self.encoder = nn.Sequential(*[Layer(width, heads) for _ in range(layers)], nn.LayerNorm(width))
        self.hidden = nn.Parameter(0.02 * torch.randn(width // 2))
        self.narrow, self.places = nn.Linear(width, width // 2), nn.Parameter(0.02 * torch.randn(patches, width // 2))
        self.decoder = nn.Sequential(Layer(width // 2, heads), nn.LayerNorm(width // 2), nn.Linear(width // 2, size))

    def forward(self, patches):
        batch, count, _ = patches.shape
        order = torch.rand(batch, count).argsort(1)
        shown, hidden = order.tensor_split([int(SHOWN * count)], 1)
        seen = patches.gather(1, shown[..., None].expand(-1, -1, patches.shape[2]))
        known = self.narrow(self.encoder(self.enter(seen) + self.place[shown]))
        full = self.hidden.expand(batch, count, -1).clone()
        full = full.scatter(1, shown[..., None].expand_as(known), known)
        said = self.decoder(full + self.places)
        at = hidden[..., None].expand(-1, -1, patches.shape[2])
        return F.mse_loss(said.gather(1, at), patches.gather(1, at))


def maps(count, patches, size, seed=0):
    rng = torch.Generator().manual_seed(seed)
    rough = torch.randn(count, patches // 4, size, generator=rng).repeat_interleave(4, 1)
    return rough + 0.2 * torch.randn(count, patches, size, generator=rng)


def main():
    args = arguments(batch=(32, 2), patches=(64, 16), size=(48, 8), width=(192, 16), heads=(4, 2), layers=(4, 2))
    torch.manual_seed(0)
    model = Autoencoder(args.patches, args.size, args.width, args.heads, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, betas=(0.9, 0.95), fused=True)
    data = maps(16 * args.batch, args.patches, args.size)
    for step in range(1, args.steps + 1):
        loss = model(data[torch.randint(len(data), (args.batch,))])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
