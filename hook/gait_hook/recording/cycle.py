"""Which optimizer's step ends a step of the training.

With one optimizer every call does. With several, calls come in a cycle (discriminator, generator; or
five of one and one of the other) that begins with the job's first call: the shortest period of all
calls so far that was seen twice. Where a call does not fit, the period is learnt anew: from all calls,
or, where a new phase began (another optimizer from here on), from those since. Where there is no
period at all, a step ends with the optimizer that came last before the first one came again.
"""

HISTORY_MAX = 4096
PERIOD_MAX = 1024
PHASE_MIN = 8  # calls that make a new phase
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
        self.calls = 0  # in all
        self.period = 0  # 0: not known yet
        self._keys = []  # of this phase, the first HISTORY_MAX
        self._since = []  # of those, the ones since a call did not fit
        self._phase_calls = 0
        self._steps_before = 0  # this phase
        self._closing = None  # the optimizer that ends a step, where calls are irregular
        self._closed = 0  # steps that it ended
        self._old_period = 1

    def ends(self, key):
        """Takes one call. True: it ends a step; False: it does not; None: that is not known."""
        self.calls += 1
        self._phase_calls += 1
        if self._closing is not None:
            self._closed += key == self._closing
            return key == self._closing
        if len(self._keys) < HISTORY_MAX:
            self._keys.append(key)
        if self.period:
            if key == self._keys[(self._phase_calls - 1) % self.period]:
                return self._phase_calls % self.period == 0
            self._old_period, self.period = self.period, 0
            self._since = []
        self._since.append(key)
        return self._learn()

    def _learn(self):
        if len(self._keys) == self._phase_calls:
            self.period = shortest_period(self._keys)
        if not self.period and PHASE_MIN <= len(self._since) < self._phase_calls:
            self._try_new_phase()
        if self.period:
            self._since = []
            return self._phase_calls % self.period == 0
        if len(self._since) > max(PATIENCE, 3 * len(set(self._keys))):
            self._closing = last_before_repeat(self._keys)
            self._closed = self._keys.count(self._closing)
        return None

    def _try_new_phase(self):
        self.period = shortest_period(self._since)
        if not self.period:
            return
        before = self._phase_calls - len(self._since)
        self._steps_before += before // self._old_period
        self._keys = list(self._since)
        self._phase_calls = len(self._since)

    def steps(self):
        """Steps of the training so far."""
        if self._closing is not None:
            return self._steps_before + self._closed
        return self._steps_before + self._phase_calls // (self.period or self._old_period)

    def calls_a_step(self, key):
        """How often that optimizer steps in one step of the training, where that is regular."""
        return self._keys[:self.period].count(key) if self.period else 1
