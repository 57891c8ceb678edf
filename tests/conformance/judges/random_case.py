"""Random tensors of one period, in 64 bits, on which functions are compared."""

import torch

SEQUENCES, TOKENS, GROUP = 12, 7, 3
LOW, HIGH, DUAL = 0.2, 0.28, 3.0


class Case:
    """Random tensors with answers of different lengths, one of them empty, and gaps within some."""

    def __init__(self, seed):
        torch.manual_seed(seed)
        shape = (SEQUENCES, TOKENS)
        self.log_probs = -torch.rand(shape, dtype=torch.float64) * 4
        self.old = self.log_probs + torch.randn(shape, dtype=torch.float64) * 0.4
        self.reference = self.log_probs + torch.randn(shape, dtype=torch.float64) * 0.4
        self.advantages = torch.randn(shape, dtype=torch.float64)
        self.rewards = torch.randn(SEQUENCES, dtype=torch.float64)
        self.values = torch.randn(shape, dtype=torch.float64)
        self.returns = torch.randn(shape, dtype=torch.float64)
        self.groups = torch.arange(SEQUENCES) // GROUP
        lengths = torch.randint(1, TOKENS + 1, (SEQUENCES,))
        self.mask = (torch.arange(TOKENS) < lengths[:, None]).double()
        self.mask[seed % SEQUENCES, 1:3] = 0
        self.mask[(seed + 1) % SEQUENCES, 0] = 1
        self.last = torch.zeros(shape, dtype=torch.float64)
        self.last[torch.arange(SEQUENCES), lengths - 1] = self.rewards
        self.logits = torch.randn(*shape, 11, dtype=torch.float64) * 3
        self.coarse = torch.randint(0, 2, (SEQUENCES,)).double()
