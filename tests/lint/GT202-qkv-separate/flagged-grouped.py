import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.wq = nn.Linear(args.dim, args.n_heads * args.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, args.n_kv_heads * args.head_dim, bias=False)
        self.wv = nn.Linear(args.dim, args.n_kv_heads * args.head_dim, bias=False)
        self.head_dim = args.head_dim

    def forward(self, x, mask):
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)  # expect
        xq, xk, xv = (t.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for t in (xq, xk, xv))
        return F.scaled_dot_product_attention(xq, xk, xv, mask, enable_gqa=True)
