# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that send a finite amount and wait for its end."""

from __future__ import annotations

from robot.api.deco import keyword

from ...measurement.trial import Trial
from ...model.units.units import Duration
from ...running.sending import send, send_burst
from ...running.suite import Suite
from .._component import component

FIVE_MINUTES = Duration(300 * 10**9)


@component
class Sending:
    """Sending a number of frames."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["send"])
    def send_burst(self, name: str, packets: int, timeout: Duration = FIVE_MINUTES) -> Trial:
        """Sends a number of frames of a stream back to back at line rate, and returns the trial.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stream; its rate and its pattern are not used |
        | ``packets`` | the number of frames |
        | ``timeout`` | the longest time for sending; more packets are refused |

        | ${trial} = | `Send Burst` | north | packets=1000 |
        | `Verify Loss Below` | 0 |
        """
        (stream,) = self._suite.chosen([name])
        trial = send_burst(self._suite.tester, stream, packets=packets, timeout=timeout)
        self._suite.remember(trial)
        return trial

    @keyword(tags=["send"])
    def send_traffic(
        self, *streams: str, packets: int | None = None, timeout: Duration = FIVE_MINUTES
    ) -> Trial:
        """Sends streams until each has ended, and returns the trial.

        | =Argument= | =Meaning= |
        | ``packets`` | frames of each stream; may be left out if all streams end by themselves |
        | ``timeout`` | the longest time for sending; more packets are refused |

        Messages and lists of gaps with ``repeat=False``, a ramp, and a replayed capture end by themselves.

        | ${trial} = | `Send Traffic` | replayed |
        | ${trial} = | `Send Traffic` | north | south | packets=10000 |
        """
        chosen = self._suite.chosen(streams)
        trial = send(self._suite.tester, chosen, packets=packets, timeout=timeout)
        self._suite.remember(trial)
        return trial
