"""Starts the program that lies beside this file, in place of Python."""
import os
import signal
import sys


def main():
    # Python ignores these. The program, and the job that it records, would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gait")
    os.execv(program, ["gait"] + sys.argv[1:])


if __name__ == "__main__":
    main()
