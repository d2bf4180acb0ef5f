from torch.utils.data import DataLoader


def loaders(train_set, test_set, args):
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=1)  # images of many sizes
    return train_loader, test_loader
