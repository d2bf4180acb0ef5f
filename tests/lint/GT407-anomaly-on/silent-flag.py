import torch

torch.autograd.set_detect_anomaly(args.debug)
if args.find_nan:
    torch.autograd.set_detect_anomaly(True)
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
