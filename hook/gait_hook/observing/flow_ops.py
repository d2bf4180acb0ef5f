"""What an operator does to its tensors, as its schema and PyTorch's own tags say; asked once per operator."""

from ..contract import Role, Trait

COPIES = frozenset("clone _to_copy copy_ _copy_from".split())
OVERWRITES = frozenset("fill_ zero_ copy_ _foreach_zero_ _foreach_copy_".split())  # and in-place random operators
CONSTANTS = frozenset("""zeros ones full arange linspace logspace eye scalar_tensor tril_indices triu_indices hann_window
    zeros_like ones_like full_like new_zeros new_ones new_full""".split())
MULTIPLIES = frozenset("mul where masked_fill".split())
SELECTS = frozenset("index index_select gather take masked_select embedding repeat".split())
BY_LABELS = frozenset(("nll_loss_forward",))
NORMS_ROWS = frozenset("native_layer_norm _fused_rms_norm".split())  # where the shape that is normalised is one dimension
SOFTMAX = frozenset("_softmax _log_softmax".split())  # over the last dimension
DRAWS = tuple("""dropout rand bernoulli multinomial normal poisson binomial uniform exponential cauchy geometric standard_gamma
    dirichlet rrelu attention""".split())  # parts of names, of operators that have PyTorch's tag
DRAWS_AND_READS = ("dropout", "rrelu")  # in place, going by what was there
STATISTICS = frozenset(("running_mean", "running_var"))  # which normalising writes in training, whatever its schema says
TRAINING = "train", "training"
CHANCES = frozenset(("p", "dropout_p", "dropout"))  # arguments: nothing is drawn where they are 0
COLLECTIVES = ("c10d::", "_c10d_functional::")


class Operators(dict):
    """PyTorch's operators, which live as long as it does, each with what it does."""

    def __missing__(self, function):
        found = self[function] = Operator(function)
        return found


class Operator:
    def __init__(self, function):
        self.function = function
        schema = getattr(function, "_schema", None)
        self.positions = {}  # of arguments by name
        self.roles = []  # of arguments by position
        self.names = []
        self.out = frozenset()  # positions of out= arguments
        self.is_constant = self.is_lift = self.is_collective = self.may_draw = self.may_write = False
        self._statistics, self._training = frozenset(), None  # positions
        self._may_go_by_rows = self._joins = False
        self.bits = 0
        if schema is None:  # a higher-order operator: opaque
            self.name = "higher_order::" + str(function)
            return
        self.name = schema.name + ("." + schema.overload_name if schema.overload_name else "")
        self._read_schema(schema, {str(tag).split(".")[-1] for tag in function.tags})

    def _read_schema(self, schema, tags):
        short = schema.name.split("::")[-1]
        self.names = [a.name for a in schema.arguments]
        self.positions = {name: i for i, name in enumerate(self.names)}
        self.is_collective = schema.name.startswith(COLLECTIVES)
        self.is_lift = short in ("lift_fresh", "lift_fresh_copy")
        self.is_constant = short in CONSTANTS
        self._may_go_by_rows = short in NORMS_ROWS or short in SOFTMAX
        self._joins = short == "cat"
        written = [_is_written(a) and "inplace_view" not in tags for a in schema.arguments]
        self.out = frozenset(i for i, a in enumerate(schema.arguments) if written[i] and a.is_out)
        takes_tensors = any(_is_of_tensors(a.type) for a in schema.arguments)
        self.may_draw = "nondeterministic_seeded" in tags and (
            not takes_tensors or any(written) or any(word in short for word in DRAWS))
        self.bits = self._bits_of(schema, short, tags, any(written), takes_tensors)
        self.roles = [self._role(i, w) for i, w in enumerate(written)]
        if schema.name.startswith("c10d::"):
            self.roles = [_role_in_collective(short, a) for a in schema.arguments]
        self._training = next((self.positions[name] for name in TRAINING if name in self.positions), None)
        if self._training is not None and "backward" not in short:
            self._statistics = frozenset(i for i, name in enumerate(self.names) if name in STATISTICS)
        self.may_write = bool(self._statistics) or any(role != Role.READ for role in self.roles)

    def _bits_of(self, schema, short, tags, writes, takes_tensors):
        import torch

        gives_tensors = any(_is_of_tensors(r.type) for r in schema.returns)
        alias = schema.returns[0].alias_info if schema.returns else None
        in_place_draw = self.may_draw and writes and schema.arguments[0].alias_info is not None and not any(
            word in short for word in DRAWS_AND_READS)
        facts = (
            (Trait.VIEW, not writes and (alias is not None or short == "_unsafe_view")),
            (Trait.HOST_READ, "data_dependent_output" in tags and not gives_tensors),
            (Trait.COLLECTIVE, self.is_collective),
            (Trait.POINTWISE, "pointwise" in tags or short.startswith("_foreach_")),
            (Trait.COPY, short in COPIES),
            (Trait.FACTORY, not takes_tensors),
            (Trait.WRITES_ONLY, short in OVERWRITES or in_place_draw),
            (Trait.MULTIPLIES, short in MULTIPLIES),
            (Trait.SELECTS, short in SELECTS),
            (Trait.BY_LABELS, short in BY_LABELS),
            (Trait.SORTS, short in ("sort", "argsort", "msort")),
            (Trait.COMPOSITE, torch._C._dispatch_has_kernel_for_dispatch_key(self.name, "CompositeImplicitAutograd")),
        )
        return sum(bit for bit, holds in facts if holds)

    def _role(self, position, written):
        if not written:
            return Role.READ
        return Role.WRITTEN if position in self.out or self.bits & Trait.WRITES_ONLY else Role.UPDATED

    def role(self, position, args=()):
        """args: those by position."""
        if position in self._statistics and self._training < len(args) and args[self._training] is True:
            return Role.UPDATED
        return self.roles[position] if position < len(self.roles) else Role.READ

    def goes_by_rows(self, args):
        """Of this call; args: those by position."""
        if not self._may_go_by_rows or len(args) < 2:
            return False
        if isinstance(args[1], int):
            return args[1] in (-1, args[0].ndim - 1)
        return args[1] is not None and len(args[1]) == 1

    def joins_rows(self, args):
        """Of this call; args: those by position."""
        if not self._joins or len(args) < 2 or not args[0]:
            return False
        return args[1] in (-1, args[0][0].ndim - 1)

    def draws(self, args, kwargs):
        """Does this call draw random numbers? Attention without dropout has the tag too."""
        if not self.may_draw:
            return False
        given = dict(zip(self.names, args))
        given.update(kwargs)
        chances = [given[name] for name in CHANCES if isinstance(given.get(name), (int, float))]
        if given.get("train") is False or given.get("training") is False:
            return False
        if "attention" in self.name:
            return any(chances)
        return not chances or any(chances)


def _is_written(argument):
    return argument.alias_info is not None and argument.alias_info.is_write


def _is_of_tensors(kind):
    return "Tensor" in str(kind)


def _role_in_collective(short, argument):
    """Their schemas do not say what they write."""
    if not _is_of_tensors(argument.type) or "input" in argument.name or short in ("send", "barrier"):
        return Role.READ
    return Role.WRITTEN if "output" in argument.name or short.startswith("recv") else Role.UPDATED
