"""Facts of a knowledge graph: which thing stands in a relation to another; a network tells true triples from false ones."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

RELATIONS = 40


class Facts(nn.Module):
    """A score (batch,) for each triple of a thing, a relation and another thing."""

    def __init__(self, things, depth, width):
        super().__init__()
        self.things = nn.Parameter(0.1 * torch.randn(things, depth))
        self.relations = nn.Parameter(0.1 * torch.randn(RELATIONS, depth))
        self.score = nn.Sequential(
            nn.Linear(3 * depth, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, subject, relation, other):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            triple = [F.embedding(subject, self.things), self.relations[relation], F.embedding(other, self.things)]
            return self.score(torch.cat(triple, 1)).float().squeeze(1)


def triples(args):
    """args.steps batches of true triples, then as many with another thing at the end; and which are true."""
    generator = torch.Generator().manual_seed(0)
    true = torch.cat([torch.ones(args.batch), torch.zeros(args.batch)])
    for _ in range(args.steps):
        subject = torch.randint(args.things, (args.batch,), generator=generator)
        relation = torch.randint(RELATIONS, (args.batch,), generator=generator)
        wrong = torch.randint(args.things, (args.batch,), generator=generator)
        others = torch.cat([(subject * 7 + relation) % args.things, wrong])
        yield subject.repeat(2), relation.repeat(2), others, true


def main():
    args = arguments(batch=(2048, 4), things=(100_000, 60), depth=(64, 8), width=(1024, 16))
    torch.manual_seed(0)
    model = Facts(args.things, args.depth, args.width)
    network = [parameter for name, parameter in model.named_parameters() if name != "things"]
    optimizer = torch.optim.SGD([model.things, *network], lr=0.1, fused=True)
    for step, (subject, relation, others, true) in enumerate(triples(args), 1):
        loss = F.binary_cross_entropy_with_logits(model(subject, relation, others), true)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
