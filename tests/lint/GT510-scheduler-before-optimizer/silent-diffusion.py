import torch
from diffusers import DDPMScheduler

noise_scheduler = DDPMScheduler()
for x, t in loader:
    optimizer.zero_grad()
    sample = noise_scheduler.step(model(x, t), t, x).prev_sample
    torch.nn.functional.mse_loss(sample, x).backward()
    optimizer.step()
