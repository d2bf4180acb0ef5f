from dataclasses import dataclass, field


@dataclass
class Config:
    half: bool = field(default=True)
    extra: bool = Described(True, unit=3)
