# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for servers that share work."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import TesterLibraryError
from ...methodology.sessions import even_shares
from ...model.units.units import Ratio
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

_TWENTY_PERCENT = Ratio.parse("20 %")


@component
class Balance:
    """How even a device shares out what clients ask for."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["verify"])
    def verify_even_shares(self, *responders: str, within: Ratio = _TWENTY_PERCENT) -> Verdict:
        """Passes if each of several responders has had as many transactions as the others.

        | =Argument= | =Meaning= |
        | ``responders`` | names of two or more responders, running or stopped |
        | ``within`` | part of an even share by which one of them may have more or less |

        Counted since the start of each.

        | `Verify Even Shares` | server1 | server2 | within=10 % |
        """
        if len(set(responders)) < 2:
            raise TesterLibraryError(f"give two or more responders to compare; given was {responders}")
        ends = self._suite.connections
        trials = {name: ends.so_far(name) for name in responders}
        shares = {name: trial.statistics.transactions for name, trial in trials.items()}
        doubt = next(("; ".join(trial.objections) for trial in trials.values() if trial.objections), "")
        return self._suite.conclude(even_shares(shares, within, doubt))
