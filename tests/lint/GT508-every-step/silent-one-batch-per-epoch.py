import torch

for epoch in range(200):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x, edges)[train_mask], y[train_mask])
    loss.backward()
    optimizer.step()
    accuracy = test(model, test_loader)
    torch.save(model.state_dict(), "model.pt")
