"""What a step of training is."""
import torch


def make_optimizer(model, lr):
    return torch.optim.Adam(model.parameters(), lr=lr)


def train_one_epoch(model, optimizer, samples: list[torch.Tensor], generator, device):
    for x in samples:
        x = x.to(device)
        level = torch.rand(x.shape[0], 1, 1, generator=generator)
        noise = torch.randn(x.shape, generator=generator)
        loss = (model((1 - level) * x + level * noise, level) - noise).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()
