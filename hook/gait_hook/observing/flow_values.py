"""What a tensor holds: a hash, its share of zeros, and that of rows of zeros.

Read straight from memory, without a call of PyTorch: nothing is dispatched, no version counted, no random number drawn.
Only of tensors on the host: reading from a device would wait for it.
"""
import ctypes
import zlib
from time import monotonic

BYTES_MOST = 8 << 20  # of a tensor; of a larger one every second, fourth … index of its largest dimension is read
ROW_LEAST = 4  # elements: shorter ones may be zeros by chance
SECONDS_MOST = 20.0  # for all tensors that are watched
NOTHING = (0, -1, -1)

_view = ctypes.pythonapi.PyMemoryView_FromMemory
_view.restype, _view.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
READ_ONLY = 0x100  # PyBUF_READ


def hash_of(data):
    """52 bits that are no 0: exact in a JSON reader's double."""
    adler = zlib.adler32(data)
    return (zlib.crc32(data) << 20 | (adler ^ adler >> 12) & 0xFFFFF) or 1


class Values:
    def __init__(self):
        self.left_s = SECONDS_MOST
        self.note = ""
        try:
            import numpy
        except ImportError:
            numpy = None
            self.note = "contents were not hashed: there is no NumPy"
        self._numpy = numpy

    def facts(self, x):
        """(hash, zeros in permille, rows of zeros in permille); 1000 is all."""
        if self._numpy is None or self.left_s <= 0:
            return NOTHING
        begin = monotonic()
        try:
            return self._facts(x)
        finally:
            self.left_s -= monotonic() - begin
            if self.left_s <= 0:
                self.note = "contents were not hashed to the end: it took more than %g s" % SECONDS_MOST

    def _facts(self, x):
        numbers = self._numbers_of(x)
        if numbers is None:
            return NOTHING
        sample = self._numpy.ascontiguousarray(_sample_of(numbers))
        most = 1000 if sample.size == numbers.size else 999  # what was not read may be something else
        return hash_of(sample.reshape(-1).view("u1")), *(min(part, most) for part in self._zeros(x, sample))

    def _numbers_of(self, x):
        """Its memory as an array of bits, in the order of its dimensions."""
        import torch

        size, n = x.element_size(), x.numel()
        if x.device.type != "cpu" or n == 0 or size > 8 or x.is_neg() or torch._C._is_cow_tensor(x):
            return None
        shape, strides, first = tuple(x.shape), tuple(x.stride()), x.storage_offset()
        span = 1 + sum((length - 1) * stride for length, stride in zip(shape, strides))
        storage = x.untyped_storage()
        if not storage.data_ptr() or (first + span) * size > storage.nbytes():
            return None  # what it says it holds was given back (resize_(0)), and address and offset are nobody's
        memory = _view(storage.data_ptr() + first * size, span * size, READ_ONLY)
        return self._numpy.ndarray(shape, "u%d" % size, memory, 0, tuple(s * size for s in strides))

    def _zeros(self, x, numbers):
        import torch

        if x.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
            return -1, -1
        numbers = numbers << numbers.dtype.type(1)  # a sign makes no zero a number
        zeros = 1000 - _permille(self._numpy.count_nonzero(numbers), numbers.size)
        if numbers.ndim < 2 or numbers.shape[-1] < ROW_LEAST:
            return zeros, -1
        if not 0 < zeros < 1000:
            return zeros, zeros
        rows = numbers.reshape(-1, numbers.shape[-1])
        return zeros, 1000 - _permille(self._numpy.count_nonzero(rows.any(1)), len(rows))


def _permille(n, of):
    """Rounded up: 0 is none."""
    return -(-1000 * int(n) // of)


def _sample_of(numbers):
    while numbers.nbytes > BYTES_MOST:
        dim = max(range(numbers.ndim), key=lambda d: numbers.shape[d])
        numbers = numbers[(slice(None),) * dim + (slice(None, None, 2),)]
    return numbers
