import torch
from torch import nn


class Discriminator(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.LeakyReLU(0.2))
        self.real = nn.Sequential(nn.Linear(128, 1), nn.Sigmoid())
        self.label = nn.Sequential(nn.Linear(128, classes + 1), nn.Softmax(dim=1))

    def forward(self, image):
        out = self.body(image)
        real = self.real(out)
        label = self.label(out)
        return real, label


discriminator = Discriminator(10)
adversarial_loss = nn.BCELoss()
auxiliary_loss = nn.CrossEntropyLoss()
for images, labels in loader:
    real, label = discriminator(images)
    loss = adversarial_loss(real, valid) + auxiliary_loss(label, labels)  # expect
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
