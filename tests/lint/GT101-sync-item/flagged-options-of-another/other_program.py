import argparse

parser = argparse.ArgumentParser()  # of a program that does not train
parser.add_argument("--auxiliary", action="store_true")
print(parser.parse_args().auxiliary)
