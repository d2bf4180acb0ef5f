"""A job that records itself and forks while it does: one child leaves through sys.exit, one ends the recording that it inherited.

callback_forks.py RUN [no-folder]: somebody removes the folder into which it records. 90 steps."""
import glob
import os
import shutil
import sys

import gait_ml
import torch

run = sys.argv[1]
torch.manual_seed(10)
torch.set_num_threads(1)
model = torch.nn.Linear(32, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
recording = gait_ml.Recording(run)


def fork(in_child):
    child = os.fork()
    if child == 0:
        in_child()
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0


recording.begin()
for step in range(90):
    if step == 20:
        fork(lambda: None)
        fork(recording.end)
        assert glob.glob(run + ".*"), "a child removed the folder"
    if step == 40 and "no-folder" in sys.argv:
        shutil.rmtree(*glob.glob(run + ".*"))
    optimizer.zero_grad()
    model(torch.randn(8, 32)).square().mean().backward()
    optimizer.step()
recording.end()
