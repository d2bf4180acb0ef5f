"""Steps in turns with another job's, with a partner that is a thread here."""
import contextlib
import os
import tempfile
import threading
from time import sleep

from shared import model_and_optimizer, recorder_in, take_steps

OPTIONS = dict(warmup=3, untraced=1, traced=2, rounds=1, turns=1, stop_after=1)


class Partner(threading.Thread):
    """Asks for that many steps, turn by turn, after a pause; then says that there are no more, or is killed."""

    def __init__(self, folder, turns, pause=0.0, is_killed=False):
        super().__init__(daemon=True)
        self.turns, self.pause, self.is_killed, self.heard = turns, pause, is_killed, []
        for name in ("ask", "answer"):
            os.mkfifo(os.path.join(folder, name))
        self.pipes = self.ask, self.answer = tuple(os.open(os.path.join(folder, name), os.O_RDWR) for name in ("ask", "answer"))

    def run(self):
        for n in (*self.turns, 0):
            self.heard.append(os.read(self.ask, 4096).decode())
            sleep(self.pause)
            if n or not self.is_killed:
                os.write(self.answer, b"%d %d\n" % (n, n > 1))
        if self.is_killed:
            self.close()

    def close(self):
        pipes, self.pipes = self.pipes, ()
        for pipe in pipes:
            os.close(pipe)


@contextlib.contextmanager
def job_with(turns, **how):
    with tempfile.TemporaryDirectory() as folder:
        partner, recorder = Partner(folder, turns, **how), recorder_in(folder, **OPTIONS)
        partner.start()
        try:
            yield partner, recorder
        finally:
            recorder._uninstall()
            partner.close()


def steps_until_the_end(n):
    """How many the job takes before it is ended; None: it is not."""
    model, optimizer = model_and_optimizer()
    for i in range(n):
        try:
            take_steps(model, optimizer, 1)
        except SystemExit as e:
            assert e.code == 0
            return i + 1
    return None


def a_job_takes_the_turns_that_it_is_given():
    with job_with((1, 4, 2)) as (partner, recorder):
        taken = steps_until_the_end(200)
        partner.join(10)
        lines = [line.split() for line in partner.heard]
        assert [line[0] for line in lines] == ["0", "1", "4", "2"], lines
        assert all(int(ns) > 0 and int(peak) > 1 << 20 and (skip, of) == ("1", "process") for _, ns, _, skip, peak, of in lines[1:]), lines
        last = recorder.result.rounds[0]["traced"][-1]["number"]
        assert [int(line[2]) for line in lines] == [last, last + 1, last + 1 + 5, last + 1 + 5 + 3], (last, lines)
        assert taken == last + 1 + 5 + 3, (taken, last)
        assert recorder.result.state == "complete" and len(recorder.losses.rows()) == taken, recorder.result.notes


def what_the_other_takes_is_not_timed():
    with job_with((2, 2), pause=0.3) as (partner, _):
        assert steps_until_the_end(200)
        partner.join(10)
        assert all(int(line.split()[1]) < 0.25e9 for line in partner.heard), partner.heard


def a_job_that_nobody_waits_for_ends():
    """gait was killed: before the first turn, or between two."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, **OPTIONS)
        assert steps_until_the_end(200)
        recorder._uninstall()
    with job_with((1, 2), is_killed=True):
        assert steps_until_the_end(200)


def why_there_are_no_turns_is_said():
    os.environ.update(RANK="0", WORLD_SIZE="2")
    try:
        with job_with(()) as (partner, recorder):
            assert steps_until_the_end(40) is None and recorder.result.state == "failed"
            partner.join(10)
            assert partner.heard[0].startswith("! it has several ranks"), partner.heard
    finally:
        del os.environ["RANK"], os.environ["WORLD_SIZE"]
    with job_with(()) as (partner, recorder):
        open(os.path.join(recorder.settings.folder, "taker"), "w").close()
        assert steps_until_the_end(200) is None
        partner.join(10)
        assert partner.heard == ["! a second process of it trains too\n"], partner.heard
