import argparse

import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", help="cpu or cuda")
args = parser.parse_args()
args.device = torch.device(args.device if torch.cuda.is_available() else "cpu")

model = Net().to(args.device)
total = 0.0
for x, y in loader:
    x = x.to(args.device)
    mask = torch.ones(len(x), device=x.device)
    loss = (F.cross_entropy(model(x), y.to(args.device), reduction="none") * mask).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()  # expect
