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
from ...methodology.verdicts.path import traces_complete
from ...methodology.verdicts.retransmissions import RETRANSMITTED, any_recovery_below, counted_alike
from ...methodology.verdicts.tolerance import at_most
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

        | ``path`` | the name of the path |
        | ``file`` | the name of the pcapng file in ``evidence/captures``; ``trace-PATH.pcapng`` by default |
        | ``every`` | records only each n-th packet of the path, the first one included |
        | ``frames`` | the most packets that are kept; later packets are missing, and counted |
        | ``snap_length`` | bytes kept of each packet |
        | ``parquet`` | True also writes a row for each packet as Parquet, in ``evidence/frames`` |

        Start the trace before `Start Path` if the first packets matter: it then begins with the path. Packets
        are recorded before any event changes them, with their number on the path, their direction, the events
        that happen to them, and two times: arrival and departure. Recording never delays a packet.

        | `Start Trace` | wan | file=wan.pcapng |
        """
        self._suite.paths.trace(
            path, every=every, frames=frames, snap_length=snap_length, file=file, parquet=parquet
        )

    @keyword(tags=["path", "trace"])
    def stop_trace(self, path: str | None = None) -> PathTrace:
        """Ends the trace of a path, writes its file, and returns its packets.

        | ``path`` | the name of the path; may be left out if only one is traced |

        Returns an object with ``packets``, each with ``number``, ``direction``, ``arrived_ns``, ``left_ns``
        (None if it has not left), ``events``, ``iteration``, ``length`` and ``octets``; with ``received``,
        ``conditions`` and ``file``. Wireshark shows the same as comments of the packets.

        | ${trace} = | `Stop Trace` | wan |
        """
        trace = self._suite.paths.stop_trace(path)
        logger.info(f"{trace}\n{trace.file}")
        return trace

    @keyword(tags=["path", "trace", "verify"])
    def verify_trace_complete(self, *paths: str) -> Verdict:
        """Judges whether the traces of paths have every packet: PASS, or INCONCLUSIVE with what is missing.

        | ``paths`` | names of paths; by default all whose trace was stopped in this test |

        It checks four conditions, which the log lists: numbers are consecutive; times never go back; the
        trace has as many packets as it should record; it has as many packets as the path has received.

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
        """Finds what TCP sent again in a trace, why, and how long lost packets were missing.

        | ``path`` | the name of the path; may be left out if one trace was stopped |
        | ``host`` | a host; compares its counter ``TcpRetransSegs`` with the trace |
        | ``direction`` | ``forward``, ``backward`` or ``both``: the direction of the segments |

        A retransmission is ``fast`` if duplicate acknowledgements or SACK asked for it; otherwise a timer has
        ended. Returns an object with ``segments``, ``fast``, ``timeouts``, ``spurious`` (the path has neither
        dropped nor damaged the original) and ``lost``; with ``found``, each with ``packet``, ``kind``,
        ``delay_ns``, ``duplicates``, ``sacked`` and ``transmission``; and with ``recoveries``. The log lists
        them.

        With a host this is a verdict: it fails if the counter differs from the trace. It needs the direction
        in which the host sends, because the counter does not include what the other end sends again. It is
        INCONCLUSIVE for a host at the first end of a path with ports ``beside`` it: the trace has the packets
        of all hosts there.

        | ${found} = | `Analyse Retransmissions` | wan | host=server | direction=backward |
        | Should Be Equal As Integers | ${found.fast} | 1 |
        """
        if host is not None:
            check_direction(direction)
        trace = self._suite.paths.traces.one(path)
        analysis = retransmissions(trace, direction)
        logger.info("\n".join((str(analysis), *map(str, analysis.found))))
        return self._compared(trace, analysis, host)

    @keyword(tags=["path", "trace", "verify"])
    def verify_recovery_below(self, path: str, bound: Duration, within: Ratio | None = None) -> Verdict:
        """Passes if no packet that the path dropped was missing for longer than the bound.

        | ``path`` | the name of the path, whose trace was stopped |
        | ``bound`` | the longest time, such as ``300 ms`` |

        A segment of TCP, or a packet of RoCEv2, is missing from its arrival at the tester, which drops or
        damages it, until a later transmission of it has left the tester undamaged. INCONCLUSIVE if nothing
        was dropped, if packets are missing in the trace, and if the trace ends before all is sent again.

        | `Verify Recovery Below` | wan | 300 ms |
        """
        trace = self._suite.paths.traces.one(path)
        analyses = retransmissions(trace), go_back_n(trace)
        return self._suite.conclude(at_most(lambda moved: any_recovery_below(analyses, moved), bound, within))

    def _compared(self, trace: PathTrace, analysis: Retransmissions, host: str | None) -> Retransmissions:
        """The analysis; for a host it is compared with the counter of its kernel."""
        if host is not None:
            judge = partial(counted_alike, analysis, host)
            self._suite.conclude(self._suite.paths.counted(trace, host, KERNEL, RETRANSMITTED, judge))
        return analysis
