import argparse

from train import train  # with other defaults

p = argparse.ArgumentParser()
p.add_argument("--penalty", type=float, default=0.1)
