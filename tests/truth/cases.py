"""cases.tsv as objects. tests/truth/README.md says what each column is."""
import csv
import dataclasses
import os

HERE = os.path.dirname(os.path.abspath(__file__))
JOBS = os.path.join(HERE, "jobs")
TABLE = os.path.join(HERE, "cases.tsv")
TRAINER, TRAINER_SETTINGS = "gait", "trainer.yaml"
SETS = ("first", "fresh")  # fresh: written after the predictor was tuned on the first, and judged on
KINDS = ("removed", "interval", "replaced", "moved", "-")


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    set: str  # SETS
    slow: tuple  # the job's file and its options, or TRAINER and its settings
    fixed: tuple  # empty for a healthy job
    rule: str  # the cause that is planted; "-" for a healthy job
    kind: str  # how its price comes about: KINDS
    processes: int
    same_losses: bool  # the fix must not change the model
    work: float  # samples of a fixed step over those of a slow one
    steps: int  # asked for at a time
    block: int  # steps of one ratio: a multiple of both intervals
    skip: int  # steps after a switch that are not counted
    note: str

    @property
    def healthy(self):
        return self.rule == "-"

    @property
    def trains_with_gait(self):
        return self.slow[0] == TRAINER


class BadTable(Exception):
    """cases.tsv is not as README.md says; the text says where."""


def job_file(command):
    """What a command of the table runs: a script, or the trainer's settings."""
    return os.path.join(JOBS, TRAINER_SETTINGS if command[0] == TRAINER else command[0])


def _case(row, line):
    try:
        case = Case(
            name=row["name"], set=row["set"], slow=tuple(row["slow"].split()),
            fixed=() if row["fixed"] == "-" else tuple(row["fixed"].split()),
            rule=row["rule"], kind=row["kind"], processes=int(row["processes"]),
            same_losses={"yes": True, "no": False}[row["same_losses"]], work=float(row["work"]), steps=int(row["steps"]),
            block=int(row["block"]), skip=int(row["skip"]), note=row["note"])
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        raise BadTable(f"cases.tsv, line {line}: {problem!r}; see README.md for the columns") from problem
    wrong = (
        None in row and "more cells than columns"
        or case.set not in SETS and f"set {case.set}"
        or case.kind not in KINDS and f"kind {case.kind}"
        or case.healthy != (not case.fixed) and "a healthy job has neither rule nor fixed version, others both"
        or case.block % case.steps and "block is no multiple of steps"
        or case.block != case.steps and case.skip and "blocks of several requests cannot skip steps"
        or case.trains_with_gait and case.block != case.steps and "a run of the trainer is one block"
        or case.trains_with_gait and not all("=" in word for c in (case.slow, case.fixed) for word in c[1:]) and
        "settings of the trainer are key=value"
        or next((f"no file jobs/{c[0]}" for c in (case.slow, case.fixed) if c and not os.path.exists(job_file(c))), ""))
    if wrong:
        raise BadTable(f"cases.tsv, line {line}: {wrong}")
    return case


def read(path=TABLE):
    with open(path, encoding="utf-8", newline="") as file:
        cases = [_case(row, i) for i, row in enumerate(csv.DictReader(file, delimiter="\t"), 2)]
    names = [case.name for case in cases]
    if len(set(names)) != len(names):
        raise BadTable("cases.tsv: two cases have one name")
    return cases
