"""What the command line asked for, through the environment."""
import os


def _number(name, otherwise, kind):
    try:
        return kind(os.environ["GAIT_RECORD_" + name])
    except (KeyError, ValueError):
        return otherwise


class Settings:
    def __init__(self):
        self.folder = os.environ.get("GAIT_RECORD_DIR", "")
        self.warmup = _number("WARMUP", 5, int)  # steps before the first round
        self.rounds = _number("ROUNDS", 5, int)  # the second of them with stacks
        self.untraced = _number("UNTRACED", 5, int)  # steps of a round
        self.traced = _number("TRACED", 5, int)
        self.seconds = _number("SECONDS", 120.0, float)  # no new round begins after so many
        self.replacements = _number("REPLACEMENTS", 10.0, float)  # seconds; 0: none
        self.stop_after = _number("STOP_AFTER", 0, int)  # 1: the job ends after the recording
        self.turns = _number("TURNS", 0, int)  # 1: after the rounds, steps in turns with another job's
