"""What is in soil, from the light that it throws back: clay, carbon, lime and more, on several processes."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, log

PROPERTIES = 9


class Spectrometer(nn.Module):
    """Each property (samples, PROPERTIES) has a head of its own upon what all see."""

    def __init__(self, bands, width):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(bands, width), nn.LayerNorm(width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.heads = nn.ModuleList(
            nn.Sequential(nn.Linear(width, width // 8), nn.SiLU(), nn.Linear(width // 8, 1)) for _ in range(PROPERTIES))

    def forward(self, light):
        x = self.shared(light)
        return torch.cat([head(x) for head in self.heads], 1)


def samples(args, rank):
    """args.steps pairs of light (batch, bands) and properties; each process has soils of its own."""
    generator = torch.Generator().manual_seed(100 + rank)
    light = torch.randn(4, args.batch, args.bands, generator=generator).cumsum(2) / args.bands**0.5
    for step in range(args.steps):
        spectrum = light[step % 4]
        yield spectrum, torch.stack([part.mean(1) for part in spectrum.chunk(PROPERTIES, 1)], 1)


def average_gradients(model):
    """All processes go on with the same gradients."""
    gradients = [p.grad for p in model.parameters()]
    flat = torch.cat([g.flatten() for g in gradients])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    for gradient, mean in zip(gradients, flat.split([g.numel() for g in gradients])):
        gradient.copy_(mean.view_as(gradient))


def main():
    args = arguments(batch=(1536, 3), bands=(1050, 18), width=(640, 16))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(Spectrometer(args.bands, args.width), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, (light, properties) in enumerate(samples(args, dist.get_rank()), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(light)
        loss = F.mse_loss(guess.float(), properties)
        optimizer.zero_grad()
        loss.backward()
        average_gradients(model)
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
