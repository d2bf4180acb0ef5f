import torch

for step, (x, y) in enumerate(loader):
    output = model(x)
    assert output.shape == y.shape, f"{output} does not fit {y}"
    if output.dim() != 2:
        raise ValueError(f"a matrix was expected: {output}")
    loss = torch.nn.functional.mse_loss(output, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} of {len(loader)}, batch {tuple(x.shape)}, {output.dtype}")
    if step % 100 == 0:
        print(f"loss {loss}")
