"""Random numbers in the making of items: by the states of the generators that all share, and by what a data set holds and names.

Generators of its own move no shared state. They are looked for without running anything of the job: among the attributes of
the data set and of what it holds, and by the names that its code and the job's code behind it use.
"""
import functools
import pickle
import random
import sys
import sysconfig
import types

ENTRIES = ("__getitem__", "__getitems__", "__call__", "forward")  # by which data sets and transforms are asked
WORDS = ("rand", "rng", "generator")  # in whatever makes a generator or draws: default_rng, RandomState, randint …
THINGS_MOST = 2000  # that are looked at
ELEMENTS_MOST = 16  # of a list or dict: transforms are few, and of many rows a few tell
LEVELS_MOST = 6  # Subset → data set → Compose → its list → a transform
LIBRARY_FOLDERS = ("site-packages", "dist-packages", "<frozen", sysconfig.get_paths()["stdlib"])
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinMethodType, functools.partial)
PLAIN = (str, bytes, int, float, complex, bool, type(None), range, types.ModuleType)


def _numpy_random():
    """Where the job has imported it."""
    return getattr(sys.modules.get("numpy"), "random", None)


def shared_states():
    """Of the generators that all share; two of these can be compared."""
    import torch

    numpy_random = _numpy_random()
    numpys = b"" if numpy_random is None else pickle.dumps(numpy_random.get_state(legacy=False))
    return torch.get_rng_state().tolist(), random.getstate(), numpys


def _kinds_of_generators():
    import torch

    kinds = (torch.Generator, random.Random)
    numpy_random = _numpy_random()
    if numpy_random is not None:
        kinds += (numpy_random.Generator, numpy_random.RandomState, numpy_random.BitGenerator)
    return kinds


class Unknown(Exception):
    """There is more to look at than is looked at."""


class OwnRandomness:
    """Asked once: found() says whether something of the data set may draw from a generator of its own."""

    def __init__(self, dataset):
        self._generators = _kinds_of_generators()
        self._packages = set()  # that the data set's classes come from: read as the job's own
        self._classes = []  # in which methods are looked for
        self._code = []  # functions to be read
        self._met = {}  # id → the thing, which keeps its id its own
        self._dataset = dataset

    def found(self):
        try:
            return self._held(self._dataset, LEVELS_MOST) or self._named()
        except Unknown:
            return True

    def _is_new(self, thing):
        if id(thing) in self._met:
            return False
        if len(self._met) >= THINGS_MOST:
            raise Unknown
        self._met[id(thing)] = thing
        return True

    def _held(self, thing, levels):
        """Is it a generator, or does it hold one? What it could run is put down to be read."""
        if isinstance(thing, self._generators):
            return True
        if isinstance(thing, PLAIN) or not levels or not self._is_new(thing):
            return False
        if isinstance(thing, FUNCTIONS):
            return self._of_function(thing, levels)
        return any(self._held(x, levels - 1) for x in self._parts(thing))

    def _of_function(self, function, levels):
        if isinstance(function, functools.partial):
            parts = [function.func, *function.args, *function.keywords.values()]
            return any(self._held(x, levels) for x in parts)
        if isinstance(function, types.FunctionType):
            self._code.append(function)
            return False
        if isinstance(function, types.MethodType):
            return self._held(function.__func__, levels) or self._held(function.__self__, levels)
        return isinstance(function.__self__, self._generators)

    def _parts(self, thing):
        if isinstance(thing, (list, tuple)):
            return list(thing[:ELEMENTS_MOST])
        if isinstance(thing, dict):
            return [x for _, x in zip(range(ELEMENTS_MOST), thing.values())]
        if isinstance(thing, type):
            self._add_class(thing, ENTRIES + ("__init__",))
            return []
        self._add_class(type(thing), ENTRIES)
        held = getattr(thing, "__dict__", None)
        return list(held.values()) if isinstance(held, dict) else []

    def _add_class(self, kind, entries):
        import torch

        for base in kind.__mro__:
            if base is object or base in self._classes:
                continue
            self._classes.append(base)
            self._code += [f for f in map(vars(base).get, entries) if isinstance(f, types.FunctionType)]
            if kind is type(self._dataset) or issubclass(kind, torch.utils.data.Dataset):
                self._packages.add(base.__module__.partition(".")[0])

    def _named(self):
        """Does a function name randomness, or a generator? Functions of the job's own that it names are read too."""
        self._packages.discard("torch")
        read = set()
        while self._code:
            function = self._code.pop()
            if function.__code__ in read:
                continue
            names, classes = set(_names_of(function.__code__)), len(self._classes)
            if any(word in name.lower() for name in names for word in WORDS):
                return True
            if self._is_jobs_own(function) and any(self._held(x, 2) for x in self._meant(function, names)):
                return True
            if len(self._classes) > classes:
                self._code.append(function)  # once more: some of its names may be methods of these
            else:
                read.add(function.__code__)
        return False

    def _is_jobs_own(self, thing):
        module = getattr(thing, "__module__", None) or type(thing).__module__
        if module == "__main__" or module.partition(".")[0] in self._packages:
            return True
        file = getattr(sys.modules.get(module), "__file__", None)
        return file is not None and not any(folder in file for folder in LIBRARY_FOLDERS)

    def _meant(self, function, names):
        """What these names may stand for that is the job's own, or a generator: globals, variables of functions
        around it, methods, what modules have."""
        inside = [cell.cell_contents for cell in function.__closure__ or () if not _is_empty(cell)]
        spaces = [function.__globals__] + [vars(kind) for kind in self._classes]
        spaces += [vars(x) for x in map(function.__globals__.get, names) if isinstance(x, types.ModuleType)]
        inside += [space[name] for space in spaces for name in names if name in space]
        return [x for x in map(_function_of, inside) if self._is_generators(x) or self._is_jobs_own(x)]

    def _is_generators(self, x):
        """A generator, or a method of one: from random import choice."""
        return isinstance(x, self._generators) or (
            isinstance(x, FUNCTIONS) and isinstance(getattr(x, "__self__", None), self._generators))


def _function_of(x):
    """Of what classes have in the place of a function."""
    if isinstance(x, property):
        return x.fget
    return x.__func__ if isinstance(x, (classmethod, staticmethod)) else x


def _is_empty(cell):
    try:
        return cell.cell_contents is None
    except ValueError:
        return True


def _names_of(code):
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):  # lambdas, comprehensions
            yield from _names_of(constant)
