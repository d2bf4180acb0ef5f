"""A language model with an LSTM."""
import torch
import torch.nn as nn

from training import arguments, log, next_token_loss, text_batches


class Recurrent(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.lstm = nn.LSTM(args.width, args.width, num_layers=args.layers, batch_first=True)
        self.head = nn.Linear(args.width, args.vocab)

    def forward(self, tokens):
        return self.head(self.lstm(self.tokens(tokens))[0])


def main():
    args = arguments(layers=(2, 2), length=(64, 16), batch=(16, 2))
    torch.manual_seed(0)
    model = Recurrent(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
