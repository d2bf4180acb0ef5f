import torch

for x, y in loader:
    optimizer.zero_grad(set_to_none=False,)  # expect
    model.zero_grad(  # expect
        # so that the graph finds them
        set_to_none=False)
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
