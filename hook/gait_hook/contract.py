"""The names that the hook shares with the program. Made by scripts/draw-docs from src/record/contract.h: change it there."""

VERSION = 6


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
    EPOCH = "epoch"
    GARBAGE = "garbage"
    EXCHANGE = "exchange"
    BUFFERS = "buffers"
    COLLECTIVE = "collective"
    CPU = "cpu"


class Fact:
    """Members of facts."""

    THREADS = "threads"
    CPUS = "cpus"
    CORES = "cores"
    LOADER_DRAWS = "loader_draws"
    LOADER_ITEMS = "loader_items"
    LOADER_ITEM_BYTES = "loader_item_bytes"
    FREE_BYTES = "free_bytes"
    ANOMALY = "anomaly_detection"
    DETERMINISTIC = "deterministic_algorithms"
    PYTHON_DISPATCH = "python_dispatch"
    TRACE_FUNCTION = "trace_function"
    ONEDNN_OFF = "onednn_off"
    LAUNCH_BLOCKING = "launch_blocking"
    CUDNN_BENCHMARK = "cudnn_benchmark"
    CUDNN_DETERMINISTIC = "cudnn_deterministic"
    DISTRIBUTED_DEBUG = "distributed_debug"
    ENVIRONMENT = "environment"
    LOWEST_PRECISION = "lowest_precision"
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
    LOSSES = "losses"
    PARAMETERS = "parameters"
    MOVEMENTS = "movements"
    NOTES = "notes"


class Round:
    """Members of it."""

    TRACE = "trace"
    STACKS = "stacks"
    EVENTS = "events"
    EVENT_COST_NS = "event_cost_ns"
    OTHERS_CPUS = "others_cpus"
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


class Flow:
    """Members of it."""

    VERSION = "gait_flow"
    STEPS = "steps"
    SAMPLED_STEPS = "sampled_steps"
    SAMPLED_NS = "sampled_ns"
    FILES = "files"
    FUNCTIONS = "functions"
    TEXTS = "texts"
    OPS = "ops"
    TRAITS = "traits"
    SHAPES = "shapes"
    DTYPES = "dtypes"
    NOTES = "notes"
    ROWS = "rows"


class Trait:
    """Of an operator."""

    VIEW = 1
    RANDOM = 2
    HOST_READ = 4
    COLLECTIVE = 8
    POINTWISE = 16
    COPY = 32
    FACTORY = 64
    WRITES_ONLY = 128
    COMPOSITE = 256
    OPTIMIZER = 512
    MULTIPLIES = 1024
    SELECTS = 2048
    SORTS = 4096
    BY_ROWS = 8192
    JOINS_ROWS = 16384
    BY_LABELS = 32768


class Source:
    """Of a storage."""

    MADE = 0
    PARAMETER = 1
    FROZEN = 2
    STATE = 3
    BUFFER = 4
    GRADIENT = 5
    BATCH = 6
    HOST = 7
    RANDOM = 8
    CONSTANT = 9
    BEFORE = 10


class Role:
    """Of a tensor for an operator."""

    READ = 0
    WRITTEN = 1
    MADE = 2
    VIEW = 3
    UPDATED = 4


class Part:
    """Of a step."""

    CODE = 0
    INPUT = 1
    BACKWARD = 2
    OPTIMIZER = 3


class Moved:
    """What of a parameter a row of movements is."""

    WEIGHTS = 0
    GRADIENT = 1
    MOVEMENT = 2


FLOW_VERSION = 3
FLOW_COLUMNS = (
    ("lines", "file"),
    ("lines", "function"),
    ("lines", "text"),
    ("lines", "line"),
    ("lines", "caller"),
    ("samples", "line"),
    ("samples", "inner"),
    ("samples", "part"),
    ("samples", "count"),
    ("tensors", "bytes"),
    ("tensors", "kept"),
    ("tensors", "source"),
    ("ops", "name"),
    ("ops", "step"),
    ("ops", "line"),
    ("ops", "inner"),
    ("ops", "backward"),
    ("ops", "forward"),
    ("ops", "thread"),
    ("ops", "scalars"),
    ("op_tensors", "op"),
    ("op_tensors", "role"),
    ("op_tensors", "argument"),
    ("op_tensors", "tensor"),
    ("op_tensors", "version"),
    ("op_tensors", "offset"),
    ("op_tensors", "shape"),
    ("op_tensors", "strides"),
    ("op_tensors", "dtype"),
    ("op_tensors", "hash"),
    ("op_tensors", "zeros"),
    ("op_tensors", "zero_rows"),
)
