import torch


def train_one_epoch(model, criterion, data_loader, optimizer, device, loss_scaler):
    model.train()
    for samples, targets in data_loader:
        with torch.cuda.amp.autocast():
            loss = criterion(model(samples.to(device)), targets.to(device))
        loss_value = loss.item()  # expect
        record(loss_value)
        optimizer.zero_grad()
        loss_scaler(loss, optimizer, parameters=model.parameters())
