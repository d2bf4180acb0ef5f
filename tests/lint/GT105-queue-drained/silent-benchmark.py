import time

import torch


class Timer:
    def start(self):
        torch.cuda.synchronize()
        self.begin = time.time()


def benchmark(model, x, optimizer):
    for _ in range(100):
        model(x).sum().backward()
        optimizer.step()
        torch.cuda.synchronize()


timer = Timer()
for step, (x, y) in enumerate(loader):
    timer.start()
    model(x, y).backward()
    optimizer.step()
    if step % 1000 == 0:
        torch.cuda.synchronize()
