import torch

graph = torch.cuda.CUDAGraph()
for x, y in loader:
    optimizer.zero_grad(set_to_none=False)
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
