"""One period on which frameworks are compared: random tensors in 64 bits, and what is told of each framework's functions.

Answers are of several lengths and whole, as a single-turn run has them. `T` is the longest answer, `N` the number of
sequences; `GROUP` of them belong to one prompt unless the config has one answer a prompt.
"""

import torch
from random_case import GROUP, Case

__all__ = ["FOLLOWS_TEACHER", "GROUP", "NO_ADVANTAGES", "Period", "optimizer_of", "rates", "taught"]

FOLLOWS_TEACHER = "a teacher's signal is an advantage in one framework and a loss in the other"
NO_ADVANTAGES = "a run of this kind has no advantages"
TOTAL_UPDATES = 100
"""The length of a run, in updates, that every schedule is built for."""


class Period(Case):
    """`Case` without gaps, nothing but zeros where an answer has ended, with
    the entropies of its tokens, a teacher's log-probs, and the reward of a greedy answer to each prompt."""

    def __init__(self, seed, answers, has_critic=False):
        super().__init__(seed)
        if answers == 1:
            self.groups = torch.arange(len(self.rewards))
        lengths = (self.last != 0).long().argmax(-1) + 1
        self.mask = (torch.arange(self.mask.shape[-1]) < lengths[:, None]).double()
        self.values, self.advantages = self.values * self.mask, self.advantages * self.mask
        if not has_critic:  # one judgement a whole answer
            self.advantages = self.advantages[:, :1] * self.mask
        self.entropies = torch.rand_like(self.log_probs) * 3
        self.teacher = self.log_probs + torch.randn_like(self.log_probs) * 0.3
        self.greedy = torch.randn_like(self.rewards)

    def update(self):
        """Log-probs with a gradient, so that what a loss teaches can be asked."""
        return self.log_probs.clone().requires_grad_()


def taught(loss, leaf):
    """A loss and its gradient with respect to `leaf`."""
    loss.backward()
    return float(loss.detach()), leaf.grad.tolist()


def rates(scheduler, optimizer, steps=TOTAL_UPDATES):
    """The rate of each update as a share of the largest, as the schedule that was built gives it."""
    result = []
    for _ in range(steps):
        result.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return result


def optimizer_of(rate):
    """An optimizer over one parameter."""
    return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=float(rate))
