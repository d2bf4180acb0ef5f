"""Two ranks that record themselves into the run that is named: what a callback does, in a loop of the job's own. 70 steps.

callback_ranks.py RUN [RANK no-files|no-end]: that rank may write no byte while it begins, or never ends its recording."""
import os
import resource
import sys
import time
from datetime import timedelta

import gait_ml
import torch
import torch.distributed as dist

GROUP_SECONDS = 20  # after which the job's own communication gives up
WAIT_SECONDS = 2  # of Gait for a rank

dist.init_process_group("gloo", timeout=timedelta(seconds=GROUP_SECONDS))
run, other = sys.argv[1], sys.argv[3:] if sys.argv[2:3] == [str(dist.get_rank())] else []
torch.manual_seed(10)
torch.set_num_threads(1)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
recording = gait_ml.Recording(run)
if "no-end" in sys.argv:
    sys.modules["gait_hook.ranks"].SECONDS = WAIT_SECONDS
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (0 if "no-files" in other else soft, hard))
recording.begin()
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
for step in range(70):
    optimizer.zero_grad()
    model(torch.randn(8, 32)).square().mean().backward()
    optimizer.step()
began = time.monotonic()
if "no-end" not in other:
    recording.end()
took = time.monotonic() - began
ranks = torch.ones(1)
dist.all_reduce(ranks)
print("rank %d: all_reduce of %d, end() took %.1f s" % (dist.get_rank(), ranks, took), flush=True)
dist.destroy_process_group()
os._exit(0)  # PyTorch's own end of a process aborts now and then where gloo was used and the machine is busy, recorded or not
