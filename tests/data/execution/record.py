#!/usr/bin/env python3
"""Makes needless.trace.json.gz and needless.graph.json.gz, one job seen by both observers of torch.profiler:

    python tests/data/execution/record.py        (PyTorch 2.13, CPU)

Each step has work that it could do without: a mask that is built anew from constants, the forward pass done twice, figures
that nobody reads. Of the trace only what a reader of traces uses is kept: no names of the machine.
"""
import gzip
import json
import os
import tempfile
from pathlib import Path

os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, schedule  # noqa: E402

HERE = Path(__file__).parent
ROWS, LENGTH, WIDTH, TOKENS = 8, 128, 64, 256


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, TOKENS)

    def forward(self, x):
        mask = torch.ones(LENGTH, LENGTH).tril()
        mask = mask / mask.sum(-1, keepdim=True)  # the same in every step
        h = mask @ self.embedding(x)
        return self.head(h + self.down(F.gelu(self.up(h))))


def train_step(model, optimizer, tokens):
    x, y = tokens[:, :-1], tokens[:, 1:]
    out = model(x)
    loss = F.cross_entropy(out.flatten(0, 1), y.flatten())
    out.detach().softmax(-1).var(-1)  # nobody reads it
    with torch.no_grad():
        (model(x).argmax(-1) == y).float().mean()  # the same forward pass once more
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def write(name, content):
    data = json.dumps(content, separators=(",", ":")).encode()
    (HERE / name).write_bytes(gzip.compress(data, 9, mtime=0))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    with tempfile.TemporaryDirectory() as folder:
        graph, trace = folder + "/graph.json", folder + "/trace.json"
        observer = ExecutionTraceObserver()
        observer.register_callback(graph)
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=3, repeat=1),
                     record_shapes=True, execution_trace_observer=observer) as p:
            for _ in range(6):
                train_step(model, optimizer, torch.randint(0, TOKENS, (ROWS, LENGTH + 1)))
                p.step()
        p.export_chrome_trace(trace)
        whole = json.loads(Path(trace).read_text())
        write("needless.trace.json.gz", {key: whole[key] for key in ("schemaVersion", "traceEvents")})
        write("needless.graph.json.gz", json.loads(Path(graph).read_text()))


main()
