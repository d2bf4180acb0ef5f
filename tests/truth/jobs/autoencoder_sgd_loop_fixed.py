"""An autoencoder of vectors that also names their class: a mixture of two losses."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_vectors, log

INPUTS, CLASSES = 1024, 32


class Autoencoder(nn.Module):
    def __init__(self, width, code):
        super().__init__()
        self.encode = nn.Sequential(
            nn.Linear(INPUTS, width), nn.LeakyReLU(0.1), nn.Linear(width, width), nn.LeakyReLU(0.1), nn.Linear(width, code))
        self.decode = nn.Sequential(
            nn.Linear(code, width), nn.LeakyReLU(0.1), nn.Linear(width, width), nn.LeakyReLU(0.1), nn.Linear(width, INPUTS))
        self.classify = nn.Linear(code, CLASSES)

    def forward(self, x):
        code = self.encode(x)
        return self.decode(code), self.classify(code)


def main():
    args = arguments(batch=(2048, 4), width=(1024, 32), code=(128, 8))
    torch.manual_seed(0)
    model = Autoencoder(args.width, args.code)
    optimizer = torch.optim.SGD(
        model.parameters(), lr=0.02, momentum=0.9, nesterov=True, weight_decay=1e-4, fused=True)
    for step, (x, y) in enumerate(labelled_vectors(args, INPUTS, CLASSES), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess, logits = model(x)
        loss = F.mse_loss(guess.float(), x) + 0.1 * F.cross_entropy(logits.float(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
