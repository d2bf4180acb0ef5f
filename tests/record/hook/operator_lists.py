"""Lists of operators that the hook and the reader of execution traces (src/execution/op_schema.c) both have are the same."""
import os
import re

import torch
from gait_hook.observing import flow_ops

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../src/execution/op_schema.c")
BOTH = dict(copies="COPIES", overwrites="OVERWRITES", constants="CONSTANTS", multiplies="MULTIPLIES", selects="SELECTS",
            draws="DRAWS", draws_and_reads="DRAWS_AND_READS")
# Tagged, but they draw nothing that a result depends on: they choose a kernel, or go through attention's softmax.
DRAWS_NOTHING = {"_fused_sdp_choice", "_nested_tensor_softmax_with_shape"}


def lists_of_the_reader():
    with open(SOURCE) as f:
        found = re.findall(r'static const char (\w+)\[\] =\s*((?:"[^"]*"\s*)+);', f.read())
    return {name: "".join(re.findall(r'"([^"]*)"', text)).split() for name, text in found}


def both_have_the_same_lists():
    reader = lists_of_the_reader()
    for name, of_hook in BOTH.items():
        differ = set(reader[name]) ^ set(getattr(flow_ops, of_hook))
        assert not differ, f"{name} of op_schema.c and {of_hook} of flow_ops.py differ by {sorted(differ)}"
        assert len(reader[name]) == len(set(reader[name])), f"{name} has a word twice"


def every_operator_that_pytorch_calls_random_is_listed():
    reader = lists_of_the_reader()
    for full in torch._C._dispatch_get_all_op_names():
        space, _, name = full.partition("::")
        short, _, overload = name.partition(".")
        if space != "aten" or "backward" in short or short in DRAWS_NOTHING:
            continue
        function = getattr(getattr(torch.ops.aten, short, None), overload or "default", None)
        tags = {str(tag).split(".")[-1] for tag in getattr(function, "tags", ())}
        if "nondeterministic_seeded" in tags:
            assert short in reader["draws_listed"] or any(word in short for word in reader["draws"]), short
