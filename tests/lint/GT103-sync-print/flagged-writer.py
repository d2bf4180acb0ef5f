import logging

import torch
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter()
log = logging.getLogger()


def train(model, loader, optimizer, criterion):
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        writer.add_scalar("loss", loss, step)  # expect
        log.info("loss %s" % loss.detach())  # expect
        log.info("loss {:.3f}".format(loss))  # expect
