"""A GPT that was moved here from a smaller machine."""
import torch
from torch.utils.checkpoint import checkpoint

from models import GPT
from training import arguments, log, next_token_loss, text_batches


class FrugalGPT(GPT):
    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(self.norm(x))


def main():
    args = arguments()
    torch.manual_seed(0)
    model = FrugalGPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
