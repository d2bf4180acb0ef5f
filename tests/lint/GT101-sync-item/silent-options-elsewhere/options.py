import argparse
from dataclasses import dataclass


@dataclass
class Extras:
    penalty: float = 0.0
    report: str = "none"


def parser():
    p = argparse.ArgumentParser()
    p.add_argument("--model.aux-coef", type=float, default=0)
    p.add_argument("-w", "--watch", action="store_true")
    p.add_argument("--distill", default="none")
    return p
