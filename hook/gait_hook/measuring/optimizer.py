"""optimizer-unfused: the job's optimizer as it is, against its fused (or else foreach) form, on copies."""
import inspect

from ..beside import Skipped
from .bench import sharded

RULE = "optimizer-unfused"


def _arguments(optimizer, **changes):
    names = inspect.signature(type(optimizer).__init__).parameters
    values = {k: v for k, v in optimizer.defaults.items() if k in names}
    values.update(changes)
    return values


def _twin(optimizer, copies, **changes):
    """One of the same class and settings over copies, group by group."""
    groups = []
    for group in optimizer.param_groups:
        twin = {k: v for k, v in group.items() if k != "params"}
        twin.update(changes)
        twin["params"] = [copies[id(p)] for p in group["params"] if id(p) in copies]
        if twin["params"]:
            groups.append(twin)
    return type(optimizer)(groups, **_arguments(optimizer, **changes))


def _copies(optimizer):
    copies = {}
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.grad is not None:
                copies[id(p)] = p.detach().clone().requires_grad_(p.requires_grad)
                copies[id(p)].grad = p.grad.detach().clone()
    return copies


def _other_forms(optimizer):
    group = optimizer.param_groups[0]
    if group.get("fused"):
        return []
    forms = []
    if "fused" in group:
        forms.append(("fused=True", {"fused": True, "foreach": False}))
    if "foreach" in group and group["foreach"] is False:
        forms.append(("foreach=True", {"foreach": True}))
    return forms


def _stepper(module, twin):
    """A step of the twin alone: the job's and our hooks are for the job's steps."""

    def step():
        hooks = module._global_optimizer_pre_hooks, module._global_optimizer_post_hooks
        module._global_optimizer_pre_hooks = type(hooks[0])()
        module._global_optimizer_post_hooks = type(hooks[1])()
        try:
            twin.step()
        finally:
            module._global_optimizer_pre_hooks, module._global_optimizer_post_hooks = hooks

    return step


def _measure_one(bench, recorder, optimizer, calls_per_step):
    if not type(optimizer).__module__.startswith("torch.optim"):
        raise Skipped("%s is not torch's own" % type(optimizer).__name__)
    forms = _other_forms(optimizer)
    if not forms:
        return
    parameters = [p for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
    if sharded(parameters):
        raise Skipped("its parameters are sharded")
    n = sum(p.numel() for p in parameters)
    # a copy, its gradient, and two moments for each of two twins
    bench.need_memory(6 * sum(p.numel() * p.element_size() for p in parameters))
    copies = _copies(optimizer)
    if not copies:
        raise Skipped("the gradients were gone when the step ended")
    subject = "%s: %d tensors, %d numbers" % (type(optimizer).__name__, len(copies), n)
    now = _stepper(recorder.module, _twin(optimizer, copies))
    for name, changes in forms:
        other = _stepper(recorder.module, _twin(optimizer, copies, **changes))
        bench.alternate(RULE, subject, "%s, on copies" % name, now, other, calls_per_step)


def measure(bench, recorder):
    bench.each(RULE, [(bench, recorder, optimizer, recorder.cycle.calls_a_step(key))
                      for key, optimizer in recorder.optimizers().items()], _measure_one)
