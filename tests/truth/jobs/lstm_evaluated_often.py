"""A language model with an LSTM and tied weights; the perplexity is watched closely."""
import math

import torch
import torch.nn as nn

from training import arguments, log, next_token_loss, text_batches

EVALUATE_EVERY = 8
EVALUATION_BATCHES = 3


class Recurrent(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.drop = nn.Dropout(0.1)
        self.lstm = nn.LSTM(args.width, args.width, num_layers=args.layers)
        self.head = nn.Linear(args.width, args.vocab)
        self.head.weight = self.tokens.weight

    def forward(self, tokens):
        return self.head(self.drop(self.lstm(self.drop(self.tokens(tokens.T)))[0])).transpose(0, 1)


@torch.inference_mode()
def perplexity(model, batches):
    model.eval()
    losses = [next_token_loss(model(x), y) for x, y in batches]
    model.train()
    return math.exp(torch.stack(losses).mean())


def main():
    args = arguments(batch=(24, 2), length=(64, 16), width=(192, 32), layers=(2, 2), vocab=(400, 64))
    torch.manual_seed(0)
    model = Recurrent(args)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    held_out = list(text_batches(args, seed=1, count=EVALUATION_BATCHES))
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
        if step % EVALUATE_EVERY == 0:
            print(f"step {step} perplexity {perplexity(model, held_out):.2f}", flush=True)


if __name__ == "__main__":
    main()
