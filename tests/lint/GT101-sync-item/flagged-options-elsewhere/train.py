import torch.nn.functional as F

from options import parser


def train(model, loader, optimizer, args, log):
    model.cuda()
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if args.clip > 0:
            log["clipped"] = loss.item()  # expect
        if args.penalty > 0:
            log["penalty"] = loss.item()  # expect
        if args.chosen_later:
            log["chosen"] = loss.item()  # expect
        if args.distributed:
            log["ranks"] = loss.item()  # expect
        if args.penalty > 0 or len(args.names) > 3:
            log["either"] = loss.item()  # expect


args = parser().parse_args()
args.chosen_later = len(loader) > 10
train(model, loader, optimizer, args, {})
