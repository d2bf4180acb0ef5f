import torch


def neighbours(points, k):
    distance = torch.cdist(points, points)
    near = distance.argsort(dim=-1)[:, :, :k]  # expect
    best = torch.sort(distance.flatten(), descending=True)[0][:k]  # expect
    return near, best
