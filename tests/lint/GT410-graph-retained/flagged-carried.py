import torch


def train(model, batches, optimizer):
    hidden = model.start()
    for x, y in batches:
        out, hidden = model(x, hidden)
        loss = torch.nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)  # expect
        optimizer.step()
