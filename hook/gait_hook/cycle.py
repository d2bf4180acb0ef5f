"""Which optimizer's step ends a step of the training.

With one optimizer every call does. With several, calls come in a cycle (discriminator, generator; or
five of one and one of the other) that begins with the job's first call: the shortest period of all
calls so far that was seen twice. Where the order changes later, the period is learnt anew; where
there is none, a step ends with the optimizer that came last before the first one came again.
"""

HISTORY_MAX = 4096
PERIOD_MAX = 1024
PATIENCE = 64  # calls without a period before it counts as irregular


def shortest_period(keys):
    """The smallest p with keys[i] == keys[i + p] for all i, seen twice; 0 where there is none."""
    for p in range(1, min(len(keys) // 2, PERIOD_MAX) + 1):
        if keys[p:] == keys[:-p]:
            return p
    return 0


def last_before_repeat(keys):
    """The key before the first one comes again, another having come between."""
    for i in range(1, len(keys)):
        if keys[i] == keys[0] and keys[i - 1] != keys[0]:
            return keys[i - 1]
    return keys[-1]


class Cycle:
    def __init__(self):
        self.calls = 0
        self.period = 0  # 0: not known yet
        self.closing = None  # the optimizer that ends a step, where calls are irregular
        self.closed = 0  # steps that it ended
        self._keys = []
        self._unknown = 0

    def ends(self, key):
        """Takes one call. True: it ends a step; False: it does not; None: that is not known."""
        self.calls += 1
        if self.closing is not None:
            self.closed += key == self.closing
            return key == self.closing
        if len(self._keys) < HISTORY_MAX:
            self._keys.append(key)
        if self.period:
            if key == self._keys[(self.calls - 1) % self.period]:
                return self.calls % self.period == 0
            self.period = 0
        return self._learn()

    def _learn(self):
        self._unknown += 1
        if len(self._keys) == self.calls:
            self.period = shortest_period(self._keys)
        if self.period:
            self._unknown = 0
            return self.calls % self.period == 0
        if self._unknown > max(PATIENCE, 3 * len(set(self._keys))):
            self.closing = last_before_repeat(self._keys)
            self.closed = self._keys.count(self.closing)
        return None

    def steps(self):
        """Steps of the training so far."""
        if self.closing is not None:
            return self.closed
        return self.calls // self.period if self.period else self.calls

    def calls_a_step(self, key):
        """How often that optimizer steps in one step of the training, where that is regular."""
        return self._keys[:self.period].count(key) if self.period else 1
