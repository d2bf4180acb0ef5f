import torch


class Experiment:
    def __init__(self, config, train_set, test_set):
        self.train_loader = torch.utils.data.DataLoader(
            train_set, batch_size=config["batch_size"], shuffle=True, drop_last=True
        )
        self.test_loader = torch.utils.data.DataLoader(
            test_set,
            batch_size=16,  # expect
            num_workers=4,
        )
