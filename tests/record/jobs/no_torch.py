"""No PyTorch at all."""
import sys

print("final", sum(range(10)), [p for p in sys.path if "hook" in p], "torch" in sys.modules)
sys.exit(6)
