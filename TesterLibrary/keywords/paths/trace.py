# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that record what passes a path."""

from __future__ import annotations

from functools import partial

from robot.api import logger
from robot.api.deco import keyword

from ...measurement.traces.go_back_n import go_back_n
from ...measurement.traces.retransmissions import Retransmissions, retransmissions
from ...measurement.traces.trace import PathTrace
from ...measurement.traces.traced_count import check_direction
from ...methodology.verdicts.retransmissions import RETRANSMITTED, any_recovery_below, counted_alike
from ...methodology.verdicts.tolerance import at_most
from ...methodology.verdicts.trace import traces_complete
from ...model.heading import Heading
from ...model.units.units import Duration, Ratio
from ...running.hosts import KERNEL
from ...running.suite import Suite
from ...verdict import Verdict
from .._component import component

_HEADERS = 128  # bytes that have the headers of TCP with its options, behind IPv6 and two tags


@component
class PathTraces:
    """Keywords that record the packets of paths, and judge what is in the records."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["path", "trace"])
    def start_trace(
        self,
        path: str,
        file: str | None = None,
        every: int = 1,
        *,
        frames: int = 1_000_000,
        snap_length: int = _HEADERS,
        parquet: bool = False,
    ) -> None:
        """Records each packet of a path, as it arrives, until `Stop Trace`.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path |
        | ``file`` | the name of the pcapng file in ``evidence/captures``; ``trace-PATH.pcapng`` if left out |
        | ``every`` | only each n-th packet of the path, the first one included |
        | ``frames`` | how many packets are kept at most; what comes later is missing, and counted |
        | ``snap_length`` | bytes kept of each packet |
        | ``parquet`` | True also writes a row for each packet as Parquet, in ``evidence/frames`` |

        A path that does not forward yet is traced from its start on; do that where the first packets matter.
        Packets are recorded before anything happens to them, with their number on the path, their direction,
        the events that happen to them, and two times: when they arrived, and when they had left. Recording
        never makes a packet wait.

        | `Start Trace` | wan | file=wan.pcapng |
        """
        self._suite.paths.trace(
            path, every=every, frames=frames, snap_length=snap_length, file=file, parquet=parquet
        )

    @keyword(tags=["path", "trace"])
    def stop_trace(self, path: str | None = None) -> PathTrace:
        """Ends the trace of a path, writes its file, and returns its packets.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path; may be left out while only one is traced |

        Returns an object with ``packets``, each with ``number``, ``direction``, ``arrived_ns``, ``left_ns``
        (none if it has not left), ``events``, ``iteration``, ``length`` and ``octets``; with ``received``,
        ``conditions`` and ``file``. Wireshark shows the same as comments of the packets.

        | ${trace} = | `Stop Trace` | wan |
        """
        trace = self._suite.paths.stop_trace(path)
        logger.info(f"{trace}\n{trace.file}")
        return trace

    @keyword(tags=["path", "trace", "verify"])
    def verify_trace_complete(self, *paths: str) -> Verdict:
        """Judges whether the traces of paths have every packet: PASS, or INCONCLUSIVE with what is missing.

        | =Argument= | =Meaning= |
        | ``paths`` | names of paths; all whose trace was stopped in this test, if none is given |

        Four conditions, which the log lists: numbers are consecutive; times never go back; the trace has
        as many packets as were to be recorded; it has as many as the path has received.

        | `Verify Trace Complete` | wan |
        """
        traces = self._suite.paths.traces.stopped(paths)
        for trace in traces:
            logger.info("\n".join((str(trace), *map(str, trace.conditions))))
        return self._suite.conclude(traces_complete(traces))

    @keyword(tags=["path", "trace"])
    def analyse_retransmissions(
        self, path: str | None = None, host: str | None = None, direction: Heading = Heading.BOTH
    ) -> Retransmissions:
        """Finds what TCP sent again in a trace, why, and how long losses were missing.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path; may be left out where one trace was stopped |
        | ``host`` | a host whose counter ``TcpRetransSegs`` has to say the same |
        | ``direction`` | ``forward``, ``backward`` or ``both``: where segments are looked for |

        A retransmission is ``fast`` if acknowledgements without news, or SACK, have asked for it; otherwise a
        timer has ended. Returns an object with ``segments``, ``fast``, ``timeouts``, ``spurious`` (of what
        the path has neither dropped nor damaged) and ``lost``; with ``found``, each with ``packet``,
        ``kind``, ``delay_ns``, ``duplicates``, ``sacked`` and ``transmission``; and with ``recoveries``. The
        log lists them.

        With a host this is a verdict: a counter that says something else than the wire is FAIL. It needs the
        direction in which that host sends: what the other end has sent again is in no counter of this one.
        It is INCONCLUSIVE for a host at the first end of a path with ports ``beside`` that end's: the trace
        has the packets of all hosts there.

        | ${found} = | `Analyse Retransmissions` | wan | host=server | direction=backward |
        | Should Be Equal As Integers | ${found.fast} | 1 |
        """
        suite = self._suite
        if host is not None:
            check_direction(direction)
        trace = suite.paths.traces.one(path)
        found = retransmissions(trace, direction)
        logger.info("\n".join((str(found), *map(str, found.found))))
        if host is not None:
            judge = partial(counted_alike, found, host)
            suite.conclude(suite.paths.counted(trace, host, KERNEL, RETRANSMITTED, judge))
        return found

    @keyword(tags=["path", "trace", "verify"])
    def verify_recovery_below(self, path: str, bound: Duration, within: Ratio | None = None) -> Verdict:
        """Passes if nothing that a path has dropped was missing for longer than the bound.

        | =Argument= | =Meaning= |
        | ``path`` | the name of the path, whose trace was stopped |
        | ``bound`` | the longest time, such as ``300 ms`` |
        | ``within`` | part of the bound by which the value may miss it, such as ``5 %``; 0, if left out |

        A segment of TCP, or a packet of RoCEv2, is missing from its arrival at the tester, which drops or
        damages it, until a later transmission of it has left the tester undamaged. INCONCLUSIVE where nothing
        was dropped, where the trace has a hole, and where it ends before all is sent again.

        | `Verify Recovery Below` | wan | 300 ms |
        """
        trace = self._suite.paths.traces.one(path)
        found = retransmissions(trace), go_back_n(trace)
        return self._suite.conclude(at_most(lambda bound: any_recovery_below(found, bound), bound, within))
