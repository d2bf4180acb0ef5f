"""cases.tsv and rounds.tsv as objects. tests/truth/README.md says what each column is."""
import csv
import dataclasses
import hashlib
import importlib.metadata
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
JOBS = os.path.join(HERE, "jobs")
TABLE = os.path.join(HERE, "cases.tsv")
ROUNDS = os.path.join(HERE, "rounds.tsv")  # frozen: which cases each round has
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
TRAINER, TRAINER_SETTINGS = "gait", "trainer.yaml"
ROUND = re.compile(r"round-([1-9][0-9]*)")
KINDS = ("removed", "interval", "replaced", "moved", "-")


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    round: str  # "round-1", "round-2", …: the batch of cases it came with; never changes
    slow: tuple  # the job's file and its options, or TRAINER and its settings
    fixed: tuple  # empty for a healthy job
    names: tuple  # the findings that name the planted cause rightly; empty: healthy, or no rule has a name for it
    lines: tuple  # "file.py:12" of the planted statements in the slow job; empty where not known
    function: str  # the function they are in, or "-"
    kind: str  # how its price comes about: KINDS
    processes: int
    same_losses: bool  # the fix must not change the model
    work: float  # samples of a fixed step over those of a slow one
    steps: int  # asked for at a time
    block: int  # steps of one ratio: a multiple of both intervals
    skip: int  # steps after a switch that are not counted
    needs: tuple  # packages that the job imports and scripts/install-deps --oracles does not promise
    note: str

    @property
    def healthy(self):
        return not self.fixed

    @property
    def cause(self):
        """For tables."""
        return self.names[0] if self.names else "-" if self.healthy else "(no name)"

    @property
    def trains_with_gait(self):
        return self.slow[0] == TRAINER


class BadTable(Exception):
    """cases.tsv is not as README.md says; the text says where."""


def job_file(command):
    """What a command of the table runs: a script, or the trainer's settings."""
    return os.path.join(JOBS, TRAINER_SETTINGS if command[0] == TRAINER else command[0])


def _listed(cell):
    return () if cell == "-" else tuple(cell.split(","))


def _case(row, line):
    try:
        case = Case(
            name=row["name"], round=row["round"], slow=tuple(row["slow"].split()),
            fixed=() if row["fixed"] == "-" else tuple(row["fixed"].split()),
            names=_listed(row["names"]), lines=_listed(row["lines"]), function=row["function"], kind=row["kind"],
            processes=int(row["processes"]), same_losses={"yes": True, "no": False}[row["same_losses"]],
            work=float(row["work"]), steps=int(row["steps"]), block=int(row["block"]), skip=int(row["skip"]),
            needs=_listed(row["needs"]), note=row["note"])
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        raise BadTable(f"cases.tsv, line {line}: {problem!r}; see README.md for the columns") from problem
    wrong = (
        None in row and "more cells than columns"
        or not ROUND.fullmatch(case.round) and f"round {case.round}"
        or case.kind not in KINDS and f"kind {case.kind}"
        or case.healthy and case.names and "a job with names has a fixed version"
        or not (case.healthy or case.names or case.lines) and "a planted cause has names or lines, or nobody could find it"
        or not all(re.fullmatch(r"[^:]+\.py:[1-9][0-9]*", at) for at in case.lines) and "lines are file.py:LINE"
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


def rounds(cases):
    """The names of the rounds, the newest last."""
    return sorted({case.round for case in cases}, key=lambda name: int(ROUND.fullmatch(name)[1]))


def frozen_rows(cases):
    """What rounds.tsv says of these cases: {round: (number of its cases, digest of their names)}."""
    result = {}
    for name in rounds(cases):
        of_round = sorted(case.name for case in cases if case.round == name)
        result[name] = str(len(of_round)), hashlib.sha256("\n".join(of_round).encode()).hexdigest()[:16]
    return result


def moved_cases(cases, path=ROUNDS):
    """The rounds whose cases are not those of rounds.tsv."""
    with open(path, encoding="utf-8", newline="") as file:
        frozen = {row["round"]: (row["cases"], row["digest"]) for row in csv.DictReader(file, delimiter="\t")}
    now = frozen_rows(cases)
    return [name for name in dict.fromkeys((*frozen, *now)) if frozen.get(name) != now.get(name)]


def _pinned():
    with open(REQUIREMENTS, encoding="utf-8") as file:
        return dict(line.split("==") for line in file.read().split() if "==" in line)


def missing(case):
    """"" if the packages that the job needs are installed in the pinned versions, else which is not."""
    for package in case.needs:
        wanted = _pinned().get(package, "")
        try:
            installed = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            installed = "none"
        if installed != wanted:
            return f"needs {package} {wanted}, installed is {installed}: scripts/install-deps --truth"
    return ""
