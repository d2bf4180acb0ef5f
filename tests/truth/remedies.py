"""What repairs a job whatever it is: for findings that nobody planted. The slow job is measured against itself under the remedy."""
import dataclasses

ROW = "other "  # before the rule: the row of results.py that holds the measurement
LEAST_PAIRS = 6


@dataclasses.dataclass(frozen=True)
class Remedy:
    serve: tuple = ()  # options of serve.py
    job: tuple = ()  # options of the job, which training.py knows, or settings of the trainer
    work: float = 1.0  # samples of a step under the remedy over those of a step without
    block: int = 0  # steps of one ratio, at least


REMEDIES = {
    "precision-f32": Remedy(serve=("--autocast",)),
    "garbage-collector": Remedy(serve=("--no-collector",), block=60),  # a full collection comes every few tens of steps
    "batch-small": Remedy(job=("--batch-times", "2"), work=2.0),
}

TRAINER_REMEDIES = {
    "trainer-bf16": Remedy(job=("precision=f32",)),
    "trainer-f32": Remedy(job=("precision=bf16",)),
}


def others(case, rules):
    """{rule: its Remedy} of the rules found that were not planted and can be measured."""
    known = TRAINER_REMEDIES if case.trains_with_gait else REMEDIES
    return {rule: known[rule] for rule in rules if rule not in case.names and rule in known}


def lengthened(case, remedy):
    """The case with blocks in which what the remedy takes away comes several times: the median of shorter ones would not see it."""
    if remedy.block <= case.block:
        return case
    return dataclasses.replace(case, steps=remedy.block, block=remedy.block)


def pairs(of_truth):
    """Fewer than the truth of the case gets: the question is only on which side of 1 the ratio is."""
    return max(LEAST_PAIRS, of_truth // 2)


def holds(measured):
    """Is the finding right, by its row? Without one it is not. A row from a page that had no interval says so itself."""
    return measured is not None and (measured.get("right") or measured["high"] < 1)
