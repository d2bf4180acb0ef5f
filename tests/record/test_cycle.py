"""Sequences of optimizer calls, and how many steps of the training they are. test_cycle.py HOOK_FOLDER"""
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from gait_hook.recording.cycle import Cycle  # noqa: E402

CASES = [  # calls, and how many steps they are
    ("one optimizer", "A" * 30, 30),
    ("two in turn", "DG" * 20, 20),
    ("five and one", "DDDDDG" * 12, 12),
    ("one and two", "DGG" * 12, 12),
    ("one per parameter", "abcdefghijkl" * 6, 6),
    ("another one from here on", "A" * 12 + "B" * 40, 52),
    ("two phases of two", "AB" * 10 + "CD" * 10, 20),
    ("alone, then in turn", "D" * 20 + "GD" * 20, 40),
    ("a cycle that is cut", "DG" * 10 + "D", 10),
]
for name, calls, steps in CASES:
    cycle = Cycle()
    answers = [cycle.ends(c) for c in calls]
    assert cycle.steps() == steps, (name, cycle.steps(), steps)
    assert cycle.calls == len(calls), name
    late = answers[len(answers) * 3 // 4:]  # learnt by then
    assert None not in late, name
    assert late[-1] or "cut" in name, name
import random  # noqa: E402

random.seed(1)
cycle = Cycle()
calls = "".join(random.choice(["DG", "DDG", "DDDG"]) for _ in range(200))
answers = [cycle.ends(c) for c in calls]
assert cycle.steps() == calls.count("G"), (cycle.steps(), calls.count("G"))
assert answers[-1] is True and answers[-2] is False
print("ok")
