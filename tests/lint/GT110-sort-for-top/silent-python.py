import numpy as np
import torch

names = sorted(paths)[:10]
order = np.argsort(np.array(lengths))[:10]
top = torch.tensor(lengths).topk(10).indices
half = torch.sort(torch.tensor(lengths))[0][1:]
