import torch


def embed(model, loader):
    features = None
    for x in loader:
        f = model(x)
        if features is None:
            features = f
        else:
            features = torch.cat([features, f])  # expect
    return features
