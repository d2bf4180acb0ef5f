"""The names that the hook shares with the program. Made by scripts/draw-docs from src/record/contract.h: change it there."""

VERSION = 2


class State:
    """How far the recording of a process came."""

    STARTED = "started"
    RECORDING = "recording"
    ENDED_EARLY = "ended early"
    COMPLETE = "complete"
    JOB_PROFILES = "job profiles itself"
    FAILED = "failed"


class Timing:
    """What is timed in a step."""

    STEP = "step"
    OPTIMIZER = "optimizer"
    BACKWARD = "backward"
    LOADER = "loader"
    LOADER_CPU = "loader_cpu"
    COLLATE = "collate"
    STACK = "stack"
    SAVE = "save"
    EVALUATE = "evaluate"
    GARBAGE = "garbage"
    EXCHANGE = "exchange"
    BUFFERS = "buffers"
    COLLECTIVE = "collective"


class Fact:
    """Members of facts."""

    THREADS = "threads"
    CPUS = "cpus"
    CORES = "cores"
    LOADER_DRAWS = "loader_draws"
    LOADER_ITEMS = "loader_items"
    LOADER_ITEM_BYTES = "loader_item_bytes"
    FREE_BYTES = "free_bytes"
    TORCH = "torch"
    PYTHON = "python"
    DEVICE = "device"
    SCRIPT = "script"
    HOST = "host"


class File:
    """Members of it."""

    VERSION = "gait_record"
    PID = "pid"
    RANK = "rank"
    WORLD = "world"
    STATE = "state"
    STEPS = "steps"
    OPTIMIZER_CALLS = "optimizer_calls"
    OPTIMIZERS_PER_STEP = "optimizers_per_step"
    FACTS = "facts"
    ROUNDS = "rounds"
    TAIL = "tail"
    REPLACEMENTS = "replacements"
    LENGTHS = "lengths"
    NOTES = "notes"


class Round:
    """Members of it."""

    TRACE = "trace"
    STACKS = "stacks"
    EVENTS = "events"
    EVENT_COST_NS = "event_cost_ns"
    UNTRACED = "untraced"
    TRACED = "traced"


class Step:
    """Members of it."""

    NUMBER = "number"
    BACKWARDS = "backwards"


class Replacement:
    """Members of it."""

    RULE = "rule"
    SUBJECT = "subject"
    HOW = "how"
    ROUND = "round"
    NOW_NS = "now_ns"
    INSTEAD_NS = "instead_ns"


class Lengths:
    """Members of it."""

    ROWS = "rows"
    FILLED = "filled"
    LONGEST = "longest"
