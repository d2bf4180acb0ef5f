import torch


def train_loader(dataset, batch_size):
    sampler = torch.utils.data.distributed.DistributedSampler(dataset, shuffle=True)  # expect
    return torch.utils.data.DataLoader(dataset, batch_size, sampler=sampler)
