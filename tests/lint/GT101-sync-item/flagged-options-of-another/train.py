import torch


def train(model, loader, optimizer, args):
    model.cuda()
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        if args.auxiliary:
            total += loss.item()  # expect
    return total


def main(model, loader, optimizer, args):
    for _ in range(args.epochs):
        print(train(model, loader, optimizer, args))
