"""Written for PyTorch 0.3, where the schedule went first: loss.data[0] is an error since."""
from torch.optim.lr_scheduler import StepLR


def train(model, loader, optimizer, criterion):
    scheduler = StepLR(optimizer, step_size=100, gamma=0.2)
    for epoch in range(30):
        scheduler.step()
        for x, y in loader:
            loss = criterion(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.data[0])
