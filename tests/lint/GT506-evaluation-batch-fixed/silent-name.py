from torch.utils.data import DataLoader


def loaders(train_set, test_set, batch_size: int = 16):
    train_loader = DataLoader(train_set, batch_size=batch_size, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=16)
    return train_loader, test_loader
