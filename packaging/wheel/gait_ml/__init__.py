"""Gait's program and its recorder's files. `gait` and `python -m gait_ml` start the program."""
