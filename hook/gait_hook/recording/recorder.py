"""The plan of a recording, step by step of the job's optimizer.

  warm-up → round 0: untraced steps, traced steps → round 1 … → sampled steps → data flow → replacements → with and without → the rest

For `gait verify --ab`: warm-up → one round → steps in turns with another job's (turns.py), and nothing else.

After each switch a step is skipped (more where workers prefetch batches: a pause fills their queue).
All of it happens inside the optimizer's global post hook, where a step has just ended; the time that
it takes there is in no step.
"""
import atexit
import os
import statistics
import sys
import threading
import weakref
from time import monotonic, perf_counter_ns, process_time_ns

from ..contract import Fact, Round, State, Step, Timing
from ..observing import low_precision, sampler
from ..observing.lengths import Lengths
from ..observing.losses import Losses
from ..observing.movement import Movement
from . import forked, process_settings, turns
from .cycle import Cycle
from .fetching import Fetching
from .other_programs import OtherPrograms
from .result import Result
from .settings import Settings
from .timers import Timers
from .tracer import Tracer

SERIES_MAX = 20000  # untraced steps that are kept one by one after the rounds
SETTLED_OF = 3  # so many steps in a row …
SETTLED_RATIO = 3  # … of which the longest is at most so many times the shortest
WARMUP_PATIENCE = 50  # steps beyond the warm-up to wait for that
PREFETCH_SKIP_MAX = 16
RANKS_SKIP = 5  # of a job with several ranks: 1, and what two workers prefetch by default
OPTIMIZERS_MAX = 64  # that replacements look at
TAIL = Timing.STEP, Timing.SAVE, Timing.EVALUATE, Timing.EPOCH, Timing.GARBAGE, Timing.CPU  # of each step after the rounds
ALONE_FIRST = 40  # steps of the rest before steps without needless calls
STACKS_ROUND = 1  # the second: a job that ends early has a plain one


def install(optimizer_module):
    """Called when the job has imported torch.optim.optimizer."""
    try:
        Recorder(Settings(), optimizer_module).install()
    except Exception:  # the job comes first
        pass


class Recorder:
    def __init__(self, settings, optimizer_module):
        self.settings = settings
        self.module = optimizer_module
        self.result = Result(settings.folder)
        self.cycle = Cycle()
        self.timers = Timers()
        self.tracer = Tracer()
        self.lengths = Lengths()
        self.losses = self.result.losses = Losses(self.result.note)
        self.movement = self.result.movement = Movement(self.result.note)
        self.others = OtherPrograms(settings.folder)
        self.handles = []
        self._optimizers = {}  # id → a weak reference to the optimizer, of those in the cycle
        self.events = None  # of the last plain traced block
        self.captured = None  # what the job's model was called with
        self.chains = None  # elementwise calls in a row
        self.sampler = None  # from the sampled steps until the data flow is written
        self.flow = None  # while the data flow is watched
        self.without = None  # from when the data flow is known until steps have run without its needless calls
        self.turns = None  # with another job
        self._on_step = self._warm_up
        self._thread = None
        self._open = []  # optimizer steps that have begun: (id, when), the outermost first
        self._optimizer_ns = 0
        self._last = self._last_cpu = 0
        self._disturbed = False  # is a device still at what was done between steps?
        self._begun = 0.0
        self._count = 0  # steps in this part of the plan
        self._recent = []
        self._round = None
        self._undo_profiler_watch = None

    # -- coming and going

    def install(self):
        self.handles = [self.module.register_optimizer_step_pre_hook(self._pre),
                        self.module.register_optimizer_step_post_hook(self._post)]
        self.losses.wait_for(self.module.Optimizer)
        os.register_at_fork(after_in_child=self._forget_in_child)
        atexit.register(self._at_exit)
        self.result.write(self.cycle)

    def _forget_in_child(self):
        """A fork is not the job: DataLoader workers, subprocesses, daemons."""
        atexit.unregister(self._at_exit)
        self._uninstall()
        forked.quiet(self.tracer)

    def _uninstall(self):
        """Never raises: the job's own calls come here."""
        for part in (self._silence_hooks, self._stop_sampling, self._stop_watching_flow, self._stop_comparing, self._stop_capturing,
                     self.lengths.remove, self.timers.remove, self.losses.remove, self.movement.remove, self._stop_watching_profiler):
            try:
                part()
            except Exception:
                pass

    def _silence_hooks(self):
        self._on_step = None
        # Taking a hook out while torch walks through its hooks would raise in the job: so each
        # stays in its place and does nothing.
        for hooks in (self.module._global_optimizer_pre_hooks,
                      self.module._global_optimizer_post_hooks):
            for handle in self.handles:
                if handle.id in hooks:
                    hooks[handle.id] = _do_nothing
        self.handles = []

    def _stop_watching_profiler(self):
        if self._undo_profiler_watch:
            self._undo_profiler_watch()
            self._undo_profiler_watch = None

    def finish(self):
        """The recording ends here, before the job does."""
        atexit.unregister(self._at_exit)
        self._at_exit()

    def _at_exit(self):
        try:
            if self.tracer.active():
                self.tracer.stop(None)
            if self.result.state == State.RECORDING:
                self.result.state = State.ENDED_EARLY
                self._keep_unfinished_round()
            if self._on_step == self._sampled:
                self._keep_samples()
            self._uninstall()
            self.result.write(self.cycle)
        except Exception:
            pass

    def _keep_unfinished_round(self):
        if self._round and self._round[Round.UNTRACED]:
            self._round[Round.TRACED] = []
            self.result.rounds.append(self._round)

    def give_up(self, state, note):
        """No more of this: what is complete stays, the job goes on alone. Never raises."""
        try:
            if self.tracer.active():
                self.tracer.stop(None)
        except Exception:
            pass
        if self.result.state != State.COMPLETE:
            self.result.state = state
        self.result.note(note)
        if self.settings.turns:
            turns.refuse(self.settings.folder, turns.JOB_PROFILES if state == State.JOB_PROFILES else note)
        self._uninstall()
        try:
            self.result.write_in_need(self.cycle)
        except Exception:  # the folder is gone, or others fill the disk
            pass

    def _failed(self):
        kind, value = sys.exc_info()[:2]
        self.give_up(State.FAILED, "the recorder stopped: %s: %s" % (kind.__name__, _text_of(value)))

    # -- the optimizer's hooks

    def _pre(self, optimizer, args, kwargs):
        if self._thread is None:
            try:
                self._first_step()
            except Exception:
                self._failed()
        if threading.get_ident() != self._thread:
            return
        key = id(optimizer)
        if not self._open and not self.movement.knows(optimizer):
            self._between_steps(self.movement.meet, optimizer)
        for i, (open_key, _) in enumerate(self._open):
            if open_key == key:  # its step before ended by an exception
                del self._open[i:]
                break
        self._open.append((key, perf_counter_ns()))

    def _post(self, optimizer, args, kwargs):
        now = perf_counter_ns()
        if threading.get_ident() != self._thread or not self._open:
            return
        key, begin = self._open.pop()
        if self._open:
            return  # a step inside another optimizer's step
        try:
            self._optimizer_ns += now - begin
            self._called(optimizer, key, now)
            if self.movement.is_due(optimizer) and self._on_step:
                self._between_steps(self.movement.look, optimizer)
        except Exception:
            self._failed()

    def _first_step(self):
        self._thread = threading.get_ident()
        self.result.state = State.RECORDING
        self.result.write(self.cycle)
        self.losses.install()  # an optimizer that was not made but loaded
        self.losses.trains_in(self._thread)
        self.timers.install(self._thread)
        self._watch_profiler()

    def _is_quiet(self):
        """Does nothing watch what is called? Else our own calls would be taken for the job's."""
        return not self.tracer.active() and self._on_step in (self._warm_up, self._untraced, self._in_turns, self._alone, self._tail)

    def _between_steps(self, call, optimizer):
        """What that takes is in no step; a device may still be at it in the next one."""
        self._disturbed = self.result.device is not None and self.result.device.type != "cpu"
        begin, begin_cpu = perf_counter_ns(), process_time_ns()
        call(optimizer, self._is_quiet())
        if self._last:
            self._last += perf_counter_ns() - begin
            self._last_cpu += process_time_ns() - begin_cpu

    def _called(self, optimizer, key, now):
        ends = self.cycle.ends(key)
        if ends is None:
            self.losses.call_ended()
            self.losses.start_over()
            self._start_over()
            return
        if self._on_step != self._tail and not self._knows(key, optimizer):
            self._meet(key, optimizer)
        if not ends:
            self.losses.call_ended()
            return
        self.losses.step_ended(self.cycle)
        if not self.tracer.active() and self._profiler_is_on():
            self.give_up(State.JOB_PROFILES, JOB_PROFILES)
            return
        ns, counts = self.timers.take()
        ns[Timing.OPTIMIZER], self._optimizer_ns = self._optimizer_ns, 0
        ns[Timing.STEP] = now - self._last if self._last else 0
        ns[Timing.CPU] = process_time_ns() - self._last_cpu
        self._on_step(ns, counts)
        self._disturbed = False
        self._last, self._last_cpu = perf_counter_ns(), process_time_ns()

    def _knows(self, key, optimizer):
        met = self._optimizers.get(key)  # another one may have got the id of one that is gone
        return met is not None and met() is optimizer

    def optimizers(self):
        """{id: optimizer} of those in the cycle that the job still has."""
        living = ((key, met()) for key, met in self._optimizers.items())
        return {key: optimizer for key, optimizer in living if optimizer is not None}

    def _meet(self, key, optimizer):
        import torch

        parameters = optimizer.param_groups[0]["params"]
        if len(self._optimizers) < OPTIMIZERS_MAX or key in self._optimizers:
            self._optimizers[key] = weakref.ref(optimizer)
        if parameters and isinstance(parameters[0], torch.Tensor):
            self.result.device = parameters[0].device

    def _start_over(self):
        """The order of the optimizers is not known, or was another one than it seemed."""
        if self.tracer.active():
            self.tracer.stop(None)
        self._stop_sampling()
        self._stop_watching_flow()
        self._stop_comparing()
        self._stop_capturing()
        self.lengths.remove()
        self.lengths = Lengths()
        self.timers.fetching = Fetching()
        self._optimizers = {}
        self.events = None
        self._last = 0
        if self.result.state == State.COMPLETE:
            self._go(self._tail)
            return
        if self.result.rounds or self._round:
            self.result.note("the order of the optimizers changed: the recording began anew")
            self.result.rounds = []
        self._round = None
        self._recent = []
        self._optimizer_ns = 0
        self.timers.take()
        self._go(self._warm_up)

    # -- the job's own profiler

    def _profiler_is_on(self):
        import torch

        return torch.autograd._profiler_enabled()

    def _watch_profiler(self):
        """Makes way when the job starts a profiler, or steps one that waits for its turn (its marks
        would stand among ours)."""
        import torch.autograd.profiler as autograd_profiler
        import torch.profiler as profiler

        undo = [self._make_way_before(autograd_profiler.profile, "_prepare_trace"),
                self._make_way_before(profiler.profile, "step")]

        def undo_all():
            for put_back in undo:
                put_back()

        self._undo_profiler_watch = undo_all

    def _make_way_before(self, owner, name):
        original, recorder = owner.__dict__[name], self

        def watched(profile, *args, **kwargs):
            if not recorder.tracer.ours and recorder._on_step:
                recorder.give_up(State.JOB_PROFILES, JOB_PROFILES)
            return original(profile, *args, **kwargs)

        setattr(owner, name, watched)

        def put_back():
            if owner.__dict__[name] is watched:
                setattr(owner, name, original)

        return put_back

    # -- the parts of the plan; each is called at the end of a step

    def _go(self, part):
        self._on_step = part
        self._count = 0
        self.losses.is_watched = not self._is_quiet()

    def _warm_up(self, ns, counts):
        self._count += 1
        self._recent = self._recent[1 - SETTLED_OF:] + [ns[Timing.STEP]]
        long = self._count - self.settings.warmup
        if long < 0 or len(self._recent) < SETTLED_OF:
            return
        settled = max(self._recent) <= SETTLED_RATIO * max(1, min(self._recent))
        if not settled and long < WARMUP_PATIENCE and not self._several_ranks():
            return  # compiling, or caches still fill
        self._begun = monotonic()
        if self.settings.turns and self._several_ranks():
            self.give_up(State.FAILED, turns.SEVERAL_RANKS)
        else:
            self._begin_round()

    def _several_ranks(self):
        """Then what is done at a step depends on its number alone: all ranks must trace the same steps."""
        return self.result.world > 1

    def _skip(self):
        if self._several_ranks():
            return RANKS_SKIP
        return 1 + min(self.timers.prefetched, PREFETCH_SKIP_MAX)

    def _begin_round(self):
        index = len(self.result.rounds)
        self._round = {Round.STACKS: index == STACKS_ROUND, Round.TRACE: "", Round.EVENTS: 0,
                       Round.UNTRACED: [], Round.TRACED: []}
        self.others.begin()
        self._go(self._untraced)
        if self.result.device is not None and self.result.device.type == "cpu":
            self.lengths.install()  # for the step that is skipped
        self.timers.fetching.install()  # the same

    def _untraced(self, ns, counts):
        self._count += 1
        self.lengths.remove()
        self.timers.fetching.remove()
        if self._count <= self._skip() or self._disturbed:
            return
        self._round[Round.UNTRACED].append(_step_row(self.cycle.steps(), ns, counts))
        if len(self._round[Round.UNTRACED]) >= self.settings.untraced:
            self._round[Round.EVENT_COST_NS] = self.tracer.event_cost_ns()
            if self._round[Round.STACKS] and _python_is_profiled():
                self._round[Round.STACKS] = False
                self.result.note(NO_STACKS)
            self.tracer.start(self._round[Round.STACKS])
            self._go(self._traced)

    def _traced(self, ns, counts):
        self._count += 1
        skip = self._skip()
        if self._count > skip:
            self._round[Round.TRACED].append(_step_row(self.cycle.steps(), ns, counts))
        if len(self._round[Round.TRACED]) >= self.settings.traced:
            self._end_round()
        elif self._count >= skip and not self._round[Round.STACKS]:
            # With stacks a mark would stretch the Python frames that it begins in.
            self.tracer.mark(self.cycle.steps() + 1)

    def _end_round(self):
        index = len(self.result.rounds)
        path = self.result.trace_path(index)
        open(path, "w").close()  # the profiler's library prints on the job's stderr where it cannot
        events = self.tracer.stop(path)
        self._round[Round.TRACE] = os.path.basename(path)
        self._round[Round.EVENTS] = len(events)
        others = self.others.cpus()
        if others is not None:
            self._round[Round.OTHERS_CPUS] = others
        self.result.rounds.append(self._round)
        self.result.lengths = self.lengths.steps
        self.result.fetching = self.timers.fetching.facts()
        self._note_settings()
        if not self._round[Round.STACKS]:
            self.events = events
        if index == 0:
            self._note_precision(events)
        self._round = None
        self.result.write(self.cycle)  # a job that is killed later keeps what is complete
        late = monotonic() - self._begun > self.settings.seconds
        if late and index + 1 < self.settings.rounds:
            self.result.note("after %d of %d rounds the %g seconds were over"
                             % (index + 1, self.settings.rounds, self.settings.seconds))
        if index + 1 < self.settings.rounds and not late:
            self._begin_round()
        elif self.settings.turns:
            self._take_turns()
        else:
            self._sample()

    def _note_precision(self, events):
        lowest = low_precision.lowest(events)
        self.result.precision = {Fact.LOWEST_PRECISION: lowest} if lowest else {}

    def _take_turns(self):
        """In place of all that follows: nothing is looked at while these steps are timed."""
        self.events = None
        self.timers.remove(Timing.BACKWARD, Timing.LOADER, Timing.COLLECTIVE, Timing.BUFFERS)
        self._go(self._in_turns)
        if self.turns:  # the recording began anew
            self.turns.again()
            return
        try:
            self.turns = turns.Turns(self.settings.folder, self.result.device, self.cycle.steps, self._skip)
        except turns.Refused as e:
            self.give_up(State.FAILED, str(e))
            return
        except OSError:
            self._end_turns()
        if not self.turns.begin():
            self._end_turns()

    def _in_turns(self, ns, counts):
        if not self.turns.step(ns[Timing.STEP]):
            self._end_turns()

    def _end_turns(self):
        """The job ran for the comparison alone: it ends even where the folder is gone, and gait with it."""
        try:
            self._finish()
        except Exception:
            self._uninstall()
        raise SystemExit(0)

    def _sample(self):
        """Steps in which it is read now and then where this thread is; in a job of several ranks a fixed number."""
        self._rare = 0
        self.sampler = sampler.Sampler(self._thread)
        self.sampler.start()
        self._go(self._sampled)

    def _sampled(self, ns, counts):
        self._count += 1
        counted = self._count - self._skip()
        self.sampler.step_ended(ns[Timing.STEP] if counted > 0 and not self._is_rare(ns) else None)
        if counted >= sampler.STEPS if self._several_ranks() else self.sampler.is_over():
            self._keep_samples()
            self._watch()

    def _is_rare(self, ns):
        """Does the step do what most do not: save, evaluate, collect? That has rules of its own."""
        rare = any(ns.get(what) for what in (Timing.SAVE, Timing.EVALUATE, Timing.EPOCH, Timing.GARBAGE))
        self._rare += rare
        return rare and 2 * self._rare <= self._count and not self._several_ranks()

    def _keep_samples(self):
        """At once: the data flow, which goes into the same file, may not come."""
        from ..observing.flow_record import Record

        self.sampler.finish()
        if not self.sampler.samples.steps:
            return
        try:
            Record(self.sampler.samples).write(self.result.flow_path())
        except OSError as e:
            self.result.note("the samples were not written: %s" % e)

    def _stop_sampling(self):
        if self.sampler:
            self.sampler.stop()
            self.sampler = None

    def _watch(self):
        """A few steps whose data flow is written down; as many where it cannot be, so that ranks stay in step."""
        from ..observing import flow

        traced = {event.name() for event in self.events or ()}
        self._note_settings()
        self.flow = flow.Flow(self.result, lambda: self.optimizers().values(), traced, self.sampler.samples)
        self.flow.install()
        self._go(self._watched)

    def _watched(self, ns, counts):
        from ..observing import flow

        self._count += 1
        self.flow.step_ended()
        if self._count < flow.STEPS:
            return
        self._stop_sampling()
        self._plan_without()
        self._stop_watching_flow()
        if self.settings.replacements > 0:
            self._capture()
        else:
            self._finish()

    def _note_settings(self):
        frac = self.sampler.samples.python_frac() if self.sampler else 0
        self.result.settings = process_settings.facts(getattr(self.result.device, "type", ""), self.timers.anomaly, frac)

    def _stop_watching_flow(self):
        if self.flow and self.flow.remove():
            self.flow = None

    def _plan_without(self):
        """Not for devices, whose host would be what is timed, nor for ranks, which wait for one another."""
        from ..measuring.without import Without, ask

        on_host = self.result.device is not None and self.result.device.type == "cpu"
        if not (self.flow.is_written and self.settings.replacements > 0 and on_host) or self._several_ranks():
            return
        plan = ask(self.result)
        if plan:
            step_ns = statistics.median_high(step[Timing.STEP] for r in self.result.rounds for step in r[Round.UNTRACED])
            self.without = Without(self.result, self.flow.usual_sequence(), plan, self.settings.replacements, step_ns)

    def _capture(self):
        """One step in which it is seen what the model is called with, and what is called in a row; then the replacements."""
        from ..observing.capture import Capture
        from ..observing.chains import Chains

        self.captured = Capture(self.optimizers().values())
        if self._several_ranks():
            self.captured.why_not = SEVERAL_RANKS
        else:
            self.captured.install()
        self.chains = Chains()
        self.chains.install()
        self._go(self._replace)

    def _stop_capturing(self):
        """What was put in last first, and each whatever becomes of the other."""
        for part in (self.chains, self.captured):
            try:
                if part:
                    part.remove()
            except Exception:
                pass
        self.captured = self.chains = None

    def _replace(self, ns, counts):
        from ..measuring.measure import measure

        self.chains.remove()
        self.captured.remove()
        measure(self)
        self.losses.forget_passes()  # of copies
        self._stop_capturing()
        self.result.state = State.COMPLETE
        self.result.write(self.cycle)  # a job that ends in the turns that follow is recorded
        if self.without:
            self._go(self._alone)
        else:
            self._finish()

    def _alone(self, ns, counts):
        """Some steps of the rest first: what comes at intervals is seen in no others."""
        self._count += 1
        self._keep_in_tail(ns)
        if self._count < ALONE_FIRST:
            return
        if self.without.install():
            self._rare = 0
            self._go(self._compare)
        else:
            self._finish()

    def _compare(self, ns, counts):
        self._count += 1
        if not self.without.step_ended(ns[Timing.STEP], self._is_rare(ns)):
            self._finish()

    def _stop_comparing(self):
        if self.without and self.without.remove():
            self.without = None

    def _finish(self):
        self._stop_comparing()
        self.events = None
        self._optimizers = {}
        self.timers.remove(Timing.BACKWARD, Timing.LOADER, Timing.COLLECTIVE, Timing.BUFFERS)
        self.result.state = State.COMPLETE
        stops = self.settings.stop_after and not self._several_ranks()
        if self.settings.stop_after and not stops:
            self.result.note(RANKS_GO_ON)
        self.result.write(self.cycle)
        self._go(self._tail)
        if stops:
            self._uninstall()
            raise SystemExit(0)

    def _tail(self, ns, counts):
        """The job runs alone; step by step only the times of what comes at intervals."""
        self._count += 1
        self._stop_watching_flow()  # it could not go while the job had a mode of its own
        self._stop_comparing()
        self._keep_in_tail(ns)
        if len(self.result.tail) >= SERIES_MAX:
            self.result.write(self.cycle)
            self._uninstall()
            self._on_step = None

    def _keep_in_tail(self, ns):
        if self._count > self._skip() and ns[Timing.STEP] and not self._disturbed:
            self.result.tail.append([self.cycle.steps()] + [ns.get(what, 0) for what in TAIL])


def _do_nothing(optimizer, args, kwargs):
    return None


SEVERAL_RANKS = "the job has several ranks, for which a copy of the model on one of them might wait"
RANKS_GO_ON = "--stop-after was not obeyed: the job has several ranks, and one that stops first leaves the others waiting"
NO_STACKS = "the job sets a Python profile function (cProfile does): no round was traced with stacks"
JOB_PROFILES = "the job uses a profiler itself: it was left alone from there on"


def _python_is_profiled():
    """By cProfile or the like: the tracer's stacks would take its place."""
    return sys.getprofile() is not None or threading.getprofile() is not None


def _text_of(error):
    try:
        return str(error)
    except Exception:  # an exception of the job's own
        return "?"


def _step_row(number, ns, counts):
    row = dict(ns)
    row[Step.NUMBER] = number
    row[Step.BACKWARDS] = counts.get(Timing.BACKWARD, 0)
    return row
