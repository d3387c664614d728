# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that copy frames to files, beside the measurement."""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import Any

from assertionengine import AssertionOperator
from robot.api import logger
from robot.api.deco import keyword

from ...errors import PlanError, TesterLibraryError
from ...measurement.capture import CaptureCounters
from ...model.capture import Capture, CaptureTrigger, Direction, Keep, TriggerKind
from ...model.units.names import NO_NAMES, Names
from ...model.units.units import Duration
from ...reporting.captures.excerpts import link_to
from ...reporting.pages.render import image
from ...reporting.pictures.capture_plot import capture_plot
from ...reporting.pictures.figure import MOST_PLOTS, Figure
from ...running.suite import Suite
from ...verdict import Between
from .._assertion import asserted
from .._component import component


class CaptureStatistic(Enum):
    """The counters of a capture, in frames."""

    SEEN = "seen"
    MATCHED = "matched"
    CAPTURED = "captured"
    DROPPED = "dropped"


_FRAMES = 100_000  # that a capture keeps at most, if nothing else is said


@component
class Captures:
    """Frames as they left and arrived."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["capture"])
    def start_capture(
        self,
        name: str | None = None,
        *,
        port: str | None = None,
        direction: Direction = Direction.BOTH,
        filter: str | None = None,  # noqa: A002 - what everybody calls it
        streams: Names = NO_NAMES,
        keep: Keep = Keep.FIRST,
        frames: int = _FRAMES,
        snap_length: int = 0,
        parquet: bool = False,
        trigger: TriggerKind | None = None,
        before: int = 100,
        after: int = 20,
        above: Duration | None = None,
        trigger_filter: str | None = None,
    ) -> str:
        """Copies frames of the tester's ports from now on, until `Stop Capture`. Returns the capture's name.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the capture and its file; ``capture-1`` and so on, if it is left out |
        | ``port`` | a port of the testbed; all, if it is left out |
        | ``direction`` | ``transmitted``, ``received`` or ``both``, as the tester sees it |
        | ``filter`` | an expression of pcap-filter(7), such as ``udp port 53`` |
        | ``streams`` | names of streams or mixes whose frames alone are copied; all frames, if left out |
        | ``keep`` | ``first``: it ends with so many frames; ``last``: the last ones before it is stopped |
        | ``frames`` | how many are kept at most |
        | ``snap_length`` | bytes kept of each frame, without FCS; 0 keeps all |
        | ``parquet`` | True also writes a row for each frame as Parquet, in ``evidence/frames/trial=N`` |
        | ``trigger`` | the kind of received frame around which frames are kept, see below |
        | ``before``, ``after`` | how many frames are kept before the trigger, and after it |
        | ``above`` | with the trigger ``latency``: a frame that took longer, such as ``1 ms`` |
        | ``trigger_filter`` | with the trigger ``filter``: an expression of pcap-filter(7) |

        Frames are stamped with the clock that latencies are measured with, so an arrival less its departure
        is the latency of the frame. Several captures run at once, beside traffic and trials, and whatever is
        started or stopped meanwhile.

        With a ``trigger`` the frames *before* something went wrong are kept, too, whenever that is:
        ``gap`` is the first frame of a stream behind others that have not arrived (lost, or overtaken),
        ``latency`` one that was too late, ``damage`` one that is not what was sent, ``filter`` one that looks
        so. The capture is complete ``after`` so many more frames; ``keep`` and ``frames`` are left out then.
        Until then it keeps the last frames. ``triggered`` of `Get Capture Statistics` tells whether it was.

        A capture never makes the tester wait: a frame for which there is no room at once is missing in the
        file and counted as dropped; trials say so, and measure all frames.

        | `Start Capture` | questions | port=p1 | filter=udp port 53 |
        | `Measure Loss` | north | duration=1 s |
        | ${file} = | `Stop Capture` | questions |
        | `Get Capture Statistics` | questions | dropped | == | 0 |

        | `Start Capture` | hiccup | streams=north | trigger=gap | before=100 | after=20 |
        """
        suite = self._suite
        captures = suite.captures
        chosen = tuple(stream.name for stream in suite.chosen(streams)) if streams else ()
        if trigger is not None and (keep, frames) != (Keep.FIRST, _FRAMES):
            kept = f"keep={keep.name.lower()}" if keep is not Keep.FIRST else f"frames={frames}"
            raise PlanError(
                f"{kept} has no meaning with trigger={trigger.name.lower()}, which keeps before={before} and "
                f"after={after} frames around it; leave {kept} out"
            )
        capture = Capture(
            name=name or captures.free_name(),
            ports=() if port is None else (port,),
            direction=direction,
            filter=filter or "",
            streams=chosen,
            keep=keep,
            frames=frames,
            snap_length=snap_length,
            trigger=None
            if trigger is None
            else CaptureTrigger(trigger, before, after, above, trigger_filter or ""),
        )
        captures.start(capture, parquet=parquet)
        return capture.name

    @keyword(tags=["capture"])
    def stop_capture(self, name: str | None = None) -> str:
        """Ends a capture and returns the path of its file, which is linked in the log.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the capture; may be left out while only one is running |

        The file is pcapng with nanoseconds, in ``evidence/captures`` beside Robot's own output. Wireshark
        shows the port of each frame as its interface, its direction, and in a comment its stream and its
        number in the stream. `Create Replay Stream` replays it. Captures that nobody stops are
        written when the tester is closed.

        The log and Allure show the frames over time as they left and arrived, with those that were lost.

        Where trials lost frames while it ran, the frames around the first three losses are in a second file,
        ``NAME-losses.pcapng``, and as a table in the log and in Allure. With ``parquet=True`` of
        `Start Capture`, ``tester query RUN "select … from frames"`` asks the rows; stop traffic before the
        capture, so that they belong to its trial.

        | ${file} = | `Stop Capture` |
        """
        stopped = self._suite.captures.stop(name)
        output = self._suite.recorder.directory.parent
        link = link_to(stopped.path, output)
        logger.info(f'<a href="{link}">{stopped.path.name}</a>: {stopped.counters}', html=True)
        if stopped.excerpt:
            path, text = stopped.excerpt.path, stopped.excerpt.text
            logger.info(f'<a href="{link_to(path, output)}">{path.name}</a>: {text}', html=True)
        plots = self._suite.recorder.plots
        with suppress(TesterLibraryError):  # no matplotlib: the file says it all
            if len(plots) < MOST_PLOTS and (plot := capture_plot(stopped.heads, stopped.excerpt)):
                plots.append(Figure(f"capture {stopped.counters.name}", image(plot), str(stopped.counters)))
        for file in stopped.frames:
            logger.info(f"{file.path}: {file.rows:,} rows")
        if stopped.waited:
            logger.warn(f"capture {stopped.counters.name} was not triggered; it has the last frames")
        if stopped.counters.dropped:
            logger.warn(f"capture {stopped.counters.name}: {stopped.counters}")
        return str(stopped.path)

    @keyword(tags=["capture", "get"])
    def get_capture_statistics(
        self,
        name: str | None = None,
        statistic: CaptureStatistic | None = None,
        assertion_operator: AssertionOperator | None = None,
        assertion_expected: Any = None,
        message: str | None = None,
    ) -> CaptureCounters | int:
        """Returns what a capture has counted so far, or in all, and asserts if an operator is given.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the capture; may be left out while only one is running |
        | ``statistic`` | ``seen``, ``matched``, ``captured`` or ``dropped`` frames; all, if it is left out |
        | ``assertion_operator`` | ``==``, ``<=``, ``<`` … of the Assertion Engine |
        | ``assertion_expected`` | how many frames |
        | ``message`` | a text in place of the usual one if the assertion fails |

        ``seen`` went through the ports, ``matched`` are of these those that were asked for, ``captured`` are
        kept, ``dropped`` had matched and found no room; on a switch also a copy that was lost, of which
        nobody knows whether it matched. An assertion on ``captured`` or ``matched`` for which dropped
        frames make a difference is INCONCLUSIVE. Without a statistic an object with these attributes is
        returned, with ``running``, ``triggered`` and with ``ports``: the same counters (but ``captured``)
        port by port.

        | `Get Capture Statistics` | questions | matched | > | 0 |
        """
        counters = self._suite.captures.statistics(name)
        if statistic is None:
            return counters
        value = int(getattr(counters, statistic.value))
        known = _bounds(counters, statistic) if counters.dropped else None
        subject = f"frames {statistic.value} of capture {counters.name}"
        return int(
            asserted(
                self._suite,
                value,
                assertion_operator,
                assertion_expected,
                subject=subject,
                known=known,
                message=message,
            )
        )


def _bounds(counters: CaptureCounters, statistic: CaptureStatistic) -> Between | None:
    """The bounds of a statistic that dropped frames leave in doubt."""
    if statistic is CaptureStatistic.CAPTURED:
        return Between(counters.captured, counters.captured + counters.dropped)
    if statistic is CaptureStatistic.MATCHED and counters.least_matched < counters.matched:
        return Between(counters.least_matched, counters.matched)
    return None
