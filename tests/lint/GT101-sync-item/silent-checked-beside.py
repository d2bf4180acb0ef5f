import math

import torch


class Trainer:
    def _check(self, loss):
        if torch.isnan(loss):
            raise ValueError("the loss is nan")

    def train_epoch(self, loader, model, optimizer):
        total = 0.0
        model.to("cuda")
        for batch in loader:
            loss = model(batch.to("cuda")).loss
            total += loss.item()
            self._check(loss)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return total


def train(loader, model, optimizer):
    total = 0.0
    for batch in loader:
        loss = model(batch.to("cuda")).loss
        if not torch.isfinite(loss):
            continue
        total += loss.item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return total


def train_one_epoch(model, criterion, data_loader, optimizer, device, loss_scaler):
    for samples, targets in data_loader:
        loss = criterion(model(samples.to(device)), targets.to(device))
        loss_value = loss.item()
        if not math.isfinite(loss_value):
            raise RuntimeError("the loss is not finite")
        loss_scaler(loss, optimizer, parameters=model.parameters())
