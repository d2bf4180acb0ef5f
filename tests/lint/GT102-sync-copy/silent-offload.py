import torch
from torch import nn


class Video(nn.Module):
    def forward(self, frames):
        features = []
        for i in range(frames.size(1)):
            feature = self.extract(frames[:, i])
            if self.cpu_cache:
                feature = feature.cpu()
            features.append(feature)
        if not self.training:
            return torch.stack(features).cpu()
        return torch.stack(features)


class Post(nn.Module):
    @torch.no_grad()
    def forward(self, outputs):
        return outputs.softmax(-1).cpu()


class PostProcessMasks(nn.Module):
    def forward(self, outputs: torch.Tensor):
        return (outputs.sigmoid() > 0.5).cpu()


video = Video().cuda()
