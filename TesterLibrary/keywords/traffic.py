# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that put streams on the wire and take them off."""

from __future__ import annotations

from robot.api.deco import keyword

from ..measurement.trial import Trial
from ..session import Session
from ._component import component


@component
class Traffic:
    """Traffic that runs until it is stopped."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["traffic"])
    def start_traffic(self, *streams: str) -> str:
        """Starts streams together, at their own rates, until `Stop Traffic`. Returns a handle.

        | =Argument= | =Meaning= |
        | ``streams`` | names of streams; all, if none is given |

        | ${load} = | `Start Traffic` | north | south |
        """
        return self._session.tester.traffic.start(self._session.chosen(streams))

    @keyword(tags=["traffic"])
    def stop_traffic(self, *handles: str) -> Trial | None:
        """Stops traffic, waits until what was sent has arrived or is lost, and returns the trial it was.

        | =Argument= | =Meaning= |
        | ``handles`` | what `Start Traffic` returned, or names of streams; all that runs, if none is given |

        Returns the trial of the last one stopped; nothing if nothing was running.

        | ${trial} = | `Stop Traffic` | ${load} |
        | `Verify Loss Below` | 0.001 % | ${trial} |
        """
        return self._session.tester.traffic.stop(handles)
