from .hardest import Hardest
