import numpy as np
import torch


class Answers(torch.utils.data.Dataset):
    def __getitem__(self, i):
        # a list of 0 and 1, whatever its name
        loss_mask = self.mask_of(self.rows[i])
        box = np.array([self.left, self.top, self.right, self.bottom])
        return torch.tensor(loss_mask[1:], dtype=torch.long), torch.tensor(box)
