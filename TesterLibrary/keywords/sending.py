# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that send a finite amount and wait for its end."""

from __future__ import annotations

from robot.api.deco import keyword

from ..measurement.trial import Trial
from ..model.stream import Stream
from ..model.units import Duration
from ..sending import burst_of, send
from ..session import Session
from ._component import component

FIVE_MINUTES = Duration(300 * 10**9)


@component
class Sending:
    """Sending so many frames."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["send"])
    def send_burst(self, stream: str, packets: int, timeout: Duration = FIVE_MINUTES) -> Trial:
        """Sends exactly so many frames of a stream back to back at line rate, and returns the trial it was.

        | =Argument= | =Meaning= |
        | ``stream`` | its name; its rate and its pattern do not count |
        | ``packets`` | how many |
        | ``timeout`` | of the tester |

        | ${trial} = | `Send Burst` | north | packets=1000 |
        | `Verify Loss Below` | 0 |
        """
        return self._send([burst_of(self._session.chosen([stream])[0])], packets, timeout)

    @keyword(tags=["send"])
    def send_traffic(
        self, *streams: str, packets: int | None = None, timeout: Duration = FIVE_MINUTES
    ) -> Trial:
        """Sends streams until each has come to its end, and returns the trial it was.

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |
        | ``packets`` | of each stream; may be left out for streams with an end of their own |
        | ``timeout`` | of the tester |

        An end of their own have messages and gaps that do not repeat, a ramp, and a capture.

        | ${trial} = | `Send Traffic` | replayed |
        | ${trial} = | `Send Traffic` | north | south | packets=10000 |
        """
        return self._send(self._session.chosen(streams), packets, timeout)

    def _send(self, streams: list[Stream], packets: int | None, timeout: Duration) -> Trial:
        trial = send(self._session.bench, streams, packets=packets, timeout=timeout)
        self._session.remember(trial)
        return trial
