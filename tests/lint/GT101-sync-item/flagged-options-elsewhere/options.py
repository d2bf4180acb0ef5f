import argparse


def parser():
    p = argparse.ArgumentParser()
    p.add_argument("--clip", type=float, default=1.0)
    p.add_argument("--penalty", type=float, default=0)
    p.add_argument("--chosen-later", action="store_true")
    p.add_argument("--distributed", action="store_true")
    return p
