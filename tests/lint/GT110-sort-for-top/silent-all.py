import torch


def shuffle(noise, keep):
    order = torch.argsort(noise, dim=1)
    restore = torch.argsort(order, dim=1)
    return order[:, :keep], restore, torch.sort(noise)[0][:, keep:]
