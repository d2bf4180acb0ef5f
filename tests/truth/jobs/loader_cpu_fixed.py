"""A GPT that reads documents."""
import random
import re

import torch
from torch.utils.data import DataLoader, Dataset

from models import GPT
from training import arguments, log, next_token_loss

WORDS = [f"{stem}{ending}" for stem in "abcdefghijklmnop" for ending in ("ing", "ed", "er", "ly")]


def documents(count, words):
    """Texts with markup, numbers and capitals, as they come from the web."""
    rng = random.Random(0)
    for _ in range(count):
        yield " ".join(f"<b>{rng.choice(WORDS).title()}</b>, {rng.randrange(99)}" for _ in range(words))


def tokenize(text, vocab):
    """The tokens of a text: markup away, words and numbers by a hash of their letters."""
    text = re.sub(r"<[^>]*>", "", text).lower()
    tokens = []
    for word in re.findall(r"[a-z]+|[0-9]+|[^ ]", text):
        value = 0
        for letter in word:
            value = (value * 31 + ord(letter)) % 1_000_003
        tokens.append(value % vocab)
    return tokens


def some_words(text, rng):
    """The text without a tenth of its words, other ones each time it is read."""
    return " ".join(word for word in text.split(" ") if rng.random() > 0.1)


class Documents(Dataset):
    def __init__(self, args):
        self.texts, self.args = list(documents(512, 8 * args.length)), args

    def __len__(self):
        return self.args.steps * self.args.batch

    def __getitem__(self, i):
        text = some_words(self.texts[i % len(self.texts)], random.Random(i))
        tokens = torch.tensor(tokenize(text, self.args.vocab)[: self.args.length + 1])
        return tokens[:-1], tokens[1:]


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    loader = DataLoader(Documents(args), batch_size=args.batch, num_workers=1, prefetch_factor=4)
    for step, (x, y) in enumerate(loader, 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
