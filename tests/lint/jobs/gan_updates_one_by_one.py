"""A small GAN. Both of its optimizers were told to update parameters one by one."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def tower(sizes):
    parts = []
    for before, after in zip(sizes, sizes[1:]):
        parts += [nn.Linear(before, after), nn.LeakyReLU(0.2)]
    return nn.Sequential(*parts[:-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    batch, inputs, width = (4, 8, 16) if args.tiny else (128, 64, 512)
    torch.manual_seed(0)
    generator = tower([32, width, width, inputs]).to(device)
    critic = tower([inputs, width, width, 1]).to(device)
    generator_optimizer = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999), foreach=False)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999), foreach=False)
    real = torch.sin(torch.randn(16, batch, inputs, generator=torch.Generator().manual_seed(1)).cumsum(2)).to(device)
    noise = torch.randn(64, batch, 32, generator=torch.Generator().manual_seed(2)).to(device)
    ones, zeros = torch.ones(batch, 1, device=device), torch.zeros(batch, 1, device=device)
    for step in range(args.steps):
        fake = generator(noise[step % 64])
        critic_loss = F.binary_cross_entropy_with_logits(critic(real[step % 16]), ones)
        critic_loss = critic_loss + F.binary_cross_entropy_with_logits(critic(fake.detach()), zeros)
        critic_optimizer.zero_grad()
        critic_loss.backward()
        critic_optimizer.step()
        generator_loss = F.binary_cross_entropy_with_logits(critic(fake), ones)
        generator_optimizer.zero_grad()
        generator_loss.backward()
        generator_optimizer.step()
        if step % 50 == 0:
            print(f"step {step} critic {critic_loss.item():.6f} generator {generator_loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
