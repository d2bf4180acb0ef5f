"""PyTorch's own counters as the outside oracle: what gait counts from the shapes of a trace must be what
torch.utils.flop_counter counts while the job runs, and what torch.profiler(with_flops=True) says.

    flops_agree.py GAIT [TRACE…]

Small CPU jobs are profiled with shapes, imported with gait, and compared operator by operator. No counted call
may lie inside another one (nothing counts twice), also in every TRACE given. Where the two differ by design
(docs/op-work.md), the difference itself is checked. The last line is one JSON object.
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count

# gait's operator -> the counter's: PyTorch's counter sees convolutions before a backend is chosen.
COUNTER_NAME = {"mkldnn_convolution": "convolution", "_slow_conv2d_forward": "convolution",
                "slow_conv3d_forward": "convolution", "slow_conv_dilated2d": "convolution",
                "slow_conv_transpose2d": "convolution", "addmv_": "mv", "addmv": "mv",
                "convolution": "convolution"}
PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "convolution", "convolution_backward",
            "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_flash_attention_for_cpu_backward")


def tensor(*shape, dtype=torch.float32, grad=True):
    return torch.randn(*shape, dtype=dtype, requires_grad=grad)


def mlp():
    model = torch.nn.Sequential(torch.nn.Linear(48, 96), torch.nn.GELU(), torch.nn.LayerNorm(96), torch.nn.Linear(96, 7))
    F.cross_entropy(model(tensor(3, 5, 48)).flatten(0, 1), torch.randint(7, (15,))).backward()


def products():
    (tensor(9, 11) @ tensor(11, 13)).sum().backward()
    (tensor(4, 9, 11) @ tensor(4, 11, 13)).sum().backward()
    torch.baddbmm(tensor(4, 9, 13), tensor(4, 9, 11), tensor(4, 11, 13)).sum().backward()
    torch.einsum("bij,kj->bik", tensor(4, 9, 11), tensor(13, 11)).sum().backward()
    torch.addmm(tensor(9, 13), tensor(9, 11), tensor(11, 13)).sum().backward()
    (tensor(9, 11, dtype=torch.bfloat16) @ tensor(11, 13, dtype=torch.bfloat16)).sum().backward()


def convolutions():
    for dtype in (torch.float32, torch.float64):
        F.conv1d(tensor(3, 8, 40, dtype=dtype), tensor(6, 8, 5, dtype=dtype), stride=2, padding=3).sum().backward()
        F.conv2d(tensor(3, 8, 20, 17, dtype=dtype), tensor(6, 8, 3, 5, dtype=dtype), tensor(6, dtype=dtype),
                 stride=(2, 1), padding=(1, 2)).sum().backward()
        F.conv2d(tensor(3, 8, 20, 17, grad=False, dtype=dtype), tensor(6, 8, 3, 3, dtype=dtype), padding=1).sum().backward()
        F.conv3d(tensor(2, 4, 6, 7, 8, dtype=dtype), tensor(5, 4, 3, 2, 1, dtype=dtype), padding=1).sum().backward()
    F.conv2d(tensor(3, 8, 20, 17), tensor(12, 8, 3, 3), dilation=2).sum().backward()


GROUPS = 4


def grouped_convolution():
    F.conv2d(tensor(3, 8, 20, 17), tensor(12, 8 // GROUPS, 3, 3), groups=GROUPS).sum().backward()


QUERY, KEY = (2, 4, 24, 16), (2, 4, 40, 16)


def attention():
    F.scaled_dot_product_attention(tensor(*QUERY), tensor(*KEY), tensor(*KEY)).sum().backward()


def causal_attention():
    F.scaled_dot_product_attention(tensor(*QUERY), tensor(*QUERY), tensor(*QUERY), is_causal=True).sum().backward()


def plain_attention():
    q, k, v = tensor(*QUERY), tensor(*KEY), tensor(*KEY)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        F.scaled_dot_product_attention(q, k, v).sum().backward()


def everything_else():
    """Operators whose work is no product: for the check that no counted call lies in another."""
    x, y = tensor(64, 32), tensor(64, 32)
    z = (x + y) * 2 - x / 3 + 1
    z = z.exp().log().sqrt().rsqrt().tanh().sigmoid().neg().abs().pow(2).clamp(min=0.1)
    z = F.silu(z) + F.relu(z) + F.leaky_relu(z) + F.dropout(z) + torch.maximum(x, y) + torch.where(x > 0, x, y)
    z = F.softmax(z, -1) + F.log_softmax(z, 0) + F.layer_norm(z, (32,)) + F.rms_norm(z, (32,))
    z = z + F.group_norm(z.view(4, 16, 32), 4).view(64, 32) + F.batch_norm(z, None, None, training=True)
    z = z + F.embedding(torch.randint(9, (64,)), tensor(9, 32)) + z.t().contiguous().t() + z.to(torch.bfloat16).float()
    z = z + torch.zeros_like(z) + torch.ones_like(z) + z.gather(1, torch.randint(32, (64, 32)))
    (z.mean() + z.sum() + z.norm() + (z == 0).sum() + torch.lerp(x, y, 0.5).sum()).backward()
    for kind, options in ((torch.optim.AdamW, {"foreach": False}), (torch.optim.AdamW, {"fused": True}),
                          (torch.optim.SGD, {"momentum": 0.9, "foreach": False})):
        w = torch.nn.Parameter(torch.randn(20, 30))
        w.grad = torch.randn(20, 30)
        kind([w], lr=0.1, **options).step()


def traced(gait, folder, job):
    """(per-operator sums of gait, of the profiler, spans of gait)"""
    path = os.path.join(folder, job.__name__ + ".json")
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True) as p:
        job()
    p.export_chrome_trace(path)
    return gait_spans(gait, folder, path), {e.key.removeprefix("aten::"): e.flops for e in p.key_averages() if e.flops}


def gait_spans(gait, folder, path):
    run = os.path.join(folder, "run.gait")
    subprocess.run([gait, "import", path, "-o", run, "--keep-spans", "all"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    with sqlite3.connect(run) as db:
        rows = db.execute("select lane, begin_ns, dur_ns, name, flop, bytes from spans where kind = 'op'"
                          " order by lane, begin_ns, -dur_ns, seq").fetchall()
    os.unlink(run)
    return rows


def sums(spans, product_names=None):
    out = {}
    for _, _, _, name, flop, _ in spans:
        name = name.removeprefix("aten::")
        name = COUNTER_NAME.get(name, name)
        if flop and (product_names is None or name in product_names):
            out[name] = out.get(name, 0) + flop
    return out


# A bias and its gradient are not counted with the product around them.
OF_A_BIAS = ("aten::sum in aten::convolution_backward", "aten::add_ in aten::miopen_convolution")
# On a CPU these are the plain operators that they stand for.
RUNS_AS_OTHERS = ("aten::_foreach_", "aten::_fused_rms_norm")


def nested(spans):
    """Names of calls with counted arithmetic that lie inside others. Copies inside a call are moves of its own."""
    found, lane, open_until, holder = {}, None, 0, ""
    for where, begin, dur, name, flop, _ in spans:
        if not flop or name.startswith(RUNS_AS_OTHERS):
            continue
        if where == lane and begin + dur <= open_until and dur > 0:
            pair = f"{name} in {holder}"
            if pair not in OF_A_BIAS:
                found[pair] = found.get(pair, 0) + 1
        else:
            lane, open_until, holder = where, begin + dur, name
    return found


def counted_by_torch(job):
    with FlopCounterMode(display=False) as counter:
        job()
    return {str(op).removeprefix("aten."): n for op, n in counter.get_flop_counts().get("Global", {}).items() if n}


def check(failures, what, good):
    print(("ok    " if good else "FAIL  ") + what)
    if not good:
        failures.append(what)


def expected(job):
    """What torch's counter says, put right where docs/op-work.md says that and why gait differs."""
    theirs = {k: v for k, v in counted_by_torch(job).items() if k in PRODUCTS}
    cpu = "_scaled_dot_product_flash_attention_for_cpu"
    if job in (attention, causal_attention):  # its formulas are not registered for the CPU's operator
        key, part = (KEY, 1) if job is attention else (QUERY, 0.5)
        theirs[cpu] = sdpa_flop_count(QUERY, key, key) * part
        theirs[cpu + "_backward"] = sdpa_backward_flop_count(QUERY, QUERY, key, key) * part
    if job is grouped_convolution:  # it counts the gradient of the weights as if there were no groups
        forward = theirs["convolution"]
        assert theirs["convolution_backward"] == (1 + GROUPS) * forward
        theirs["convolution_backward"] = 2 * forward
    return theirs


def compare(failures, job, ours, theirs):
    for op in sorted(set(ours) | set(theirs)):
        a, b = ours.get(op, 0), theirs.get(op, 0)
        check(failures, f"{job.__name__}: {op}: gait {a}, flop_counter {b:.0f}", a == b)


def main():
    gait, traces = sys.argv[1], sys.argv[2:]
    failures, compared = [], 0
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        for job in (mlp, products, convolutions, grouped_convolution, attention, plain_attention, causal_attention):
            spans, profiled = traced(gait, folder, job)
            theirs = expected(job)
            compare(failures, job, sums(spans, PRODUCTS), theirs)
            compared += len(theirs)
            everything = sums(spans)
            for op in ("mm", "addmm", "bmm", "mul"):
                if op in profiled and op in everything:
                    check(failures, f"{job.__name__}: {op}: gait {everything[op]}, profiler {profiled[op]}",
                          everything[op] == profiled[op])
            check(failures, f"{job.__name__}: nothing counts twice {nested(spans)}", not nested(spans))
        spans, _ = traced(gait, folder, everything_else)
        check(failures, f"everything_else: nothing counts twice {nested(spans)}", not nested(spans))
        for path in traces:
            inside = nested(gait_spans(gait, folder, path))
            check(failures, f"{os.path.basename(path)}: nothing counts twice {inside}", not inside)
    print(json.dumps({"what": "flops_agree", "operators_compared": compared, "failures": failures,
                      "torch": torch.__version__}))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
