from torch.utils.data import DataLoader


def loaders(train_set, val_set, args):
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=32)  # expect
    return train_loader, val_loader
