from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.attend = nn.MultiheadAttention(width, 4)

    def forward(self, query, key, value):
        return self.attend(self.q(query), self.k(key), self.v(value))


class Either(CrossAttention):
    def __init__(self, width):
        super().__init__(width)
        self.q_proj = nn.Linear(width, width)
        self.k_proj = nn.Linear(width, width)
        self.v_proj = nn.Linear(width, width)

    def forward(self, x, memory=None):
        q = self.q_proj(x)
        if memory is not None:
            k, v = self.k_proj(memory), self.v_proj(memory)
        else:
            k, v = self.k_proj(x), self.v_proj(x)
        return self.attend(q, k, v)


class Heads(nn.Module):
    """Three heads of different kinds: nobody would split one product into them."""

    def __init__(self, width, actions):
        super().__init__()
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)
        self.next = nn.Linear(width, width)

    def forward(self, x):
        return self.policy(x), self.value(x), self.next(x)
