"""What the job's modules call the parameters of an optimizer, which itself only has the tensors.

The modules are found among the objects that Python's collector knows, once; none of the job's own code runs for it. What wrappers
put in front of names goes, so that a model has the same names with and without them.
"""
import gc

WRAPPERS = ("module.", "_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.")


def names_of(optimizer):
    """A name for each of its parameters, in the order of its groups; each is its own."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    found = {id(p): name for group in optimizer.param_groups
             for p, name in zip(group["params"], group.get("param_names") or ())}
    if len(found) < len(parameters):
        found = {**names_by_modules({id(p) for p in parameters}), **found}
    places = ("group %d, parameter %d" % (i, k) for i, group in enumerate(optimizer.param_groups)
              for k in range(len(group["params"])))
    return _distinct(without_wrappers(found.get(id(p), place)) for p, place in zip(parameters, places))


def names_by_modules(wanted):
    """{id of a parameter: name}, by the outermost modules; those of all but the one that has the most begin with their class."""
    modules = _modules()
    inner = {id(child) for m in modules for child in m.__dict__["_modules"].values()}
    named = [(module, _held_by(module, wanted)) for module in modules if id(module) not in inner]
    named.sort(key=lambda each: -len(each[1]))
    names = {}
    for i, (module, held) in enumerate(named):
        for key, name in held.items():
            names.setdefault(key, name if i == 0 else "%s.%s" % (type(module).__name__, name))
    return names


def without_wrappers(name):
    for wrapper in WRAPPERS[1:]:
        name = name.replace(wrapper, "")
    while name.startswith(WRAPPERS[0]):
        name = name[len(WRAPPERS[0]):]
    return name


def _modules():
    from torch.nn import Module

    # By type(): asking an object for its class may run the job's code.
    found = [o for o in gc.get_objects() if issubclass(type(o), Module)]
    return [m for m in found if isinstance(m.__dict__.get("_modules"), dict) and isinstance(m.__dict__.get("_parameters"), dict)]


def _held_by(module, wanted):
    held, seen, waiting = {}, set(), [("", module)]
    while waiting:
        before, m = waiting.pop()
        if m is None or id(m) in seen:
            continue
        seen.add(id(m))
        for name, p in (m.__dict__.get("_parameters") or {}).items():
            if id(p) in wanted:
                held.setdefault(id(p), before + name)
        waiting += [(before + name + ".", child) for name, child in reversed((m.__dict__.get("_modules") or {}).items())]
    return held


def _distinct(names):
    seen, distinct = {}, []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else "%s (%d)" % (name, seen[name]))
    return distinct
