import torch


def hardest(losses: torch.Tensor, count: int):
    rows = torch.argsort(losses, descending=True)[:count]  # expect
    return losses[rows], losses.sort().values[:count]  # expect
