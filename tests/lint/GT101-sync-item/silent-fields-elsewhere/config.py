from dataclasses import dataclass, field


@dataclass
class Config:
    half: bool = field(default=False)
    extra: bool = Described(False)
