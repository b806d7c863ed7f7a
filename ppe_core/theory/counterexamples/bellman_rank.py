"""The Bellman rank can be as large as the exogenous state space (appendix A, proposition "Bellman Rank
Depends on the Exogenous State Cardinality").

Good and bad states g_h, b_h; the good action leads from g_h to g_{h+1}, the other to b_{h+1}, for good. ξ is drawn
once from [d]. At time H there is no action: g_H pays 1, b_H nothing. π_i errs at (g_{H-1}, i) alone, and f_i
believes that (b_H, i) pays. Row and column 0 are π_* and f_*.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppe_core.config import Settings, option

Array = np.ndarray
GOOD, BAD = range(2)


@dataclass(frozen=True)
class BellmanRank(Settings):
    horizon: int = option(4, "number of time steps H", 2, 8)
    exogenous: int = option(8, "number of exogenous states d", 1, 40)

    @cached_property
    def good_actions(self) -> Array:
        """Which of two actions is the good one; it alternates: [H - 1]."""
        return np.arange(self.horizon - 1) % 2

    @cached_property
    def policies(self) -> Array:
        """The actions of π_*, π_1, …, π_d: [policies, H - 1, endogenous states, d]."""
        d = self.exogenous
        actions = np.broadcast_to(self.good_actions[:, None, None], (d + 1, self.horizon - 1, 2, d)).copy()
        errs = np.arange(1, d + 1), -1, GOOD, np.arange(d)
        actions[errs] = 1 - actions[errs]
        return actions

    @cached_property
    def values(self) -> Array:
        """What f_*, f_1, …, f_d believe: [functions, H, endogenous states, d]."""
        d = self.exogenous
        values = np.zeros((d + 1, self.horizon, 2, d))
        values[:, :, GOOD] = 1
        values[np.arange(1, d + 1), -1, BAD, np.arange(d)] = 1
        return values

    @cached_property
    def visits(self) -> Array:
        """P_h(s, ξ | π): [policies, H, endogenous states, d]."""
        visits = np.zeros((len(self.policies), self.horizon, 2, self.exogenous))
        visits[:, 0, GOOD] = 1 / self.exogenous
        for h in range(self.horizon - 1):
            stays = self.policies[:, h, GOOD] == self.good_actions[h]  # [policies, d]
            visits[:, h + 1, GOOD] = visits[:, h, GOOD] * stays
            visits[:, h + 1, BAD] = visits[:, h, BAD] + visits[:, h, GOOD] * ~stays
        return visits

    @cached_property
    def errors(self) -> Array:
        """E_h(π_i, (f_j, π_j)) = E[f_j(z_h) − r_h − f_j(z_{h+1})] with z_h by π_i and a_h by π_j: [H, i, j]."""
        errors = np.empty((self.horizon, len(self.policies), len(self.values)))
        for h in range(self.horizon):
            surprise = self.values[:, h] - self._expected(h)  # [j, endogenous states, d]
            errors[h] = np.einsum("isx,jsx->ij", self.visits[:, h], surprise)
        return errors

    @property
    def last_errors(self) -> Array:
        """The error matrix at time H of π_1, …, π_d: [d, d]."""
        return self.errors[-1, 1:, 1:]

    @cached_property
    def ranks(self) -> Array:
        """The rank of the whole error matrix at each time step; the Bellman rank is the largest: [H]."""
        return np.array([int(np.linalg.matrix_rank(matrix)) for matrix in self.errors])

    @property
    def rank(self) -> int:
        return int(self.ranks.max())

    @property
    def returns(self) -> Array:
        """V(π_*), V(π_1), …, V(π_d): [policies]."""
        return self.visits[:, -1, GOOD].sum(-1)

    def _expected(self, h: int) -> Array:
        """What f_j must be at time h to be consistent with itself one step on: [j, endogenous states, d]."""
        if h == self.horizon - 1:
            return np.broadcast_to(np.array([1.0, 0.0])[:, None], self.values[:, h].shape)  # the rewards
        after = self.values[:, h + 1]
        stays = self.policies[:, h, GOOD] == self.good_actions[h]
        return np.stack([np.where(stays, after[:, GOOD], after[:, BAD]), after[:, BAD]], axis=1)
