"""Lengths of rows that are padded."""
import tempfile

import torch
from gait_hook.observing.lengths import Lengths, fields_of, longest_of
from torch import nn

from shared import OddModule, recorder_in


def padded_tokens(rows, lengths, filled, pad=0):
    x = torch.full((rows, filled), pad)
    for row, length in zip(x, lengths):
        row[:length] = torch.randint(1, 9, (length,))
    return x


def padding_is_seen_in_what_rows_end_with():
    def longest(*tensors):
        seen = longest_of([field for x in tensors for field in fields_of(x)])
        return seen and (seen["rows"], seen["filled"], seen["longest"])

    lengths = [20, 7, 24, 11]
    tokens = padded_tokens(4, lengths, 32)
    values = torch.randn(4, 32, 5) * (tokens > 0).unsqueeze(2)
    assert longest(tokens) == longest(tokens.t()) == longest(tokens.flip(1)) == (4, 32, 24)
    assert longest(values) == longest(values.transpose(1, 2)) == longest(values.transpose(0, 1)) == (4, 32, 24)
    assert longest(tokens > 0) == longest(tokens == 0) == (4, 32, 24)  # a mask, of either sense
    assert longest(padded_tokens(4, lengths, 32, pad=-100)) == (4, 32, 24)
    positions = torch.arange(32).expand(4, 32)
    assert longest(tokens, positions, torch.zeros(4, 32)) == (4, 32, 24)
    # filled to the longest; used to the end by another field; rows of one length; sparse data; small
    assert longest(padded_tokens(4, [20, 7, 32, 11], 32)) is None
    assert longest(tokens, torch.randn(4, 32)) is None
    assert longest(padded_tokens(4, [24] * 4, 32)) is None
    assert longest(padded_tokens(4, lengths, 32) * (torch.arange(32) % 2)) is None
    assert longest(padded_tokens(4, [5, 6, 9, 2], 12)) is None
    assert longest(torch.randn(4, 32, 32), torch.randint(0, 9, (4, 32)), torch.full((4, 32), float("nan"))) is None


def fields_that_end_before_their_rows_are_no_padding():
    def longest(*tensors):
        return longest_of([field for x in tensors for field in fields_of(x)])

    ids = torch.randint(5, 99, (8, 128))
    ids[:, 0], ids[:, -1] = 1, 2  # the first and the last token of all rows are one
    first_parts = torch.arange(128) < torch.randint(40, 90, (8, 1))
    kinds, targets = (~first_parts).long(), ids.masked_fill(first_parts, -100)
    for fields in ((ids, kinds, torch.ones(8, 128)), (ids, targets)):
        seen = longest(*fields)
        assert seen is None or seen["longest"] >= 127, seen


def what_says_nothing_of_rows_is_not_looked_at():
    lengths, linear = Lengths(), nn.Linear(1, 1)
    tokens = padded_tokens(8, [40, 80, 33, 20, 66, 71, 50, 64], 128)
    causal = torch.ones(128, 128).tril()
    made = torch.randn(8, 128, 4, requires_grad=True)
    lengths.install()
    lengths._see(linear, (tokens, causal, made), {})
    lengths.remove()
    assert lengths.steps == [{"rows": 8, "filled": 128, "longest": 80}], lengths.steps


def a_job_that_watches_operators_sees_its_own_alone():
    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        seen = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            Watch.seen += 1
            return func(*args, **(kwargs or {}))

    lengths, linear, rows = Lengths(), nn.Linear(16, 1), torch.ones(4, 16)
    lengths.install()
    with Watch():
        linear(rows)
    lengths.remove()
    assert not lengths.steps and 0 < Watch.seen < 4, (lengths.steps, Watch.seen)


def nothing_is_looked_at_after_the_end_though_the_job_wraps_calls():
    lengths, linear, kept = Lengths(), nn.Linear(16, 1), nn.Module.__call__
    lengths.install()
    ours = nn.Module.__call__
    nn.Module.__call__ = lambda module, *args, **kwargs: ours(module, *args, **kwargs)
    lengths.remove()
    linear(torch.ones(4, 16))
    nn.Module.__call__ = kept
    assert not lengths._fields and not lengths._tensors


def lengths_are_looked_at_in_steps_that_are_not_timed():
    embedding = nn.EmbeddingBag(9, 2)
    optimizer = torch.optim.SGD(embedding.parameters(), 0.1)
    own = nn.Module.__call__
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=3, untraced=2, traced=1, rounds=3, replacements=0)
        watched = set()
        try:
            for _ in range(40):
                if nn.Module.__call__ is not own:
                    watched.add(recorder.cycle.steps() + 1)
                embedding(padded_tokens(4, [20, 7, 24, 11], 32)).sum().backward()
                optimizer.step()
        finally:
            recorder._uninstall()
    timed = {step["number"] for r in recorder.result.rounds for kind in ("untraced", "traced") for step in r[kind]}
    assert recorder.result.lengths == 3 * [{"rows": 4, "filled": 32, "longest": 24}], recorder.result.lengths
    assert len(watched) == 3 and not watched & timed and nn.Module.__call__ is own, (watched, timed)


def odd_inputs_are_passed_on():
    lengths = Lengths()
    lengths.install()
    try:
        assert OddModule()(3) == 3
        with torch.device("meta"):
            nn.Identity()(torch.ones(4, 32))
        nn.Identity()(torch.ones(4, 32).to_sparse())
        nn.Identity()(torch.ones(0, 32))
    finally:
        lengths.remove()
    assert lengths.steps == [], lengths.steps
