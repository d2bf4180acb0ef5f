import numpy as np
import torch

all_scores = torch.empty(0).cuda()
all_labels = np.array([])
for x, y in test_loader:
    with torch.no_grad():
        scores = model(x.cuda())
    all_scores = torch.cat((all_scores, scores), dim=0)  # expect
    all_labels = np.append(all_labels, y.numpy())  # expect
print(metric(all_scores, all_labels))
