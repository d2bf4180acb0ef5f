import argparse

p = argparse.ArgumentParser()
p.add_argument("--penalty", type=float, default=0.1)
