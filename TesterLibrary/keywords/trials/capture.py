# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that copy frames to files, beside the measurement."""

from __future__ import annotations

from enum import Enum
from typing import Any

from assertionengine import AssertionOperator
from robot.api.deco import keyword

from ...measurement.capture import CaptureCounters
from ...model.capture import MOST_FRAMES, Capture, CaptureTrigger, Direction, Keep, TriggerKind
from ...model.units.names import NO_NAMES, Names
from ...model.units.units import Duration
from ...running.suite import Suite
from .._assertion import asserted
from .._component import component
from .._log import show_capture


class CaptureStatistic(Enum):
    """The counters of a capture, in frames."""

    SEEN = "seen"
    MATCHED = "matched"
    CAPTURED = "captured"
    DROPPED = "dropped"


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
        frames: int = MOST_FRAMES,
        snap_length: int = 0,
        parquet: bool = False,
        trigger: TriggerKind | None = None,
        before: int = 100,
        after: int = 20,
        above: Duration | None = None,
        trigger_filter: str | None = None,
    ) -> str:
        """Copies frames of the tester's ports from now on, until `Stop Capture`. Returns the capture's name.

        | ``name`` | the name of the capture and its file; ``capture-1`` and so on by default |
        | ``port`` | a port of the testbed; all ports by default |
        | ``direction`` | ``transmitted``, ``received`` or ``both``, as the tester sees it |
        | ``filter`` | an expression of pcap-filter(7), such as ``udp port 53`` |
        | ``streams`` | names of streams or mixes; only their frames are copied. All frames by default |
        | ``keep`` | ``first``: ends when it has ``frames``; ``last``: keeps the last ``frames`` |
        | ``frames`` | the most frames that are kept |
        | ``snap_length`` | bytes kept of each frame, without FCS; 0 keeps all |
        | ``parquet`` | True also writes a row for each frame as Parquet, in ``evidence/frames/trial=N`` |
        | ``trigger`` | the kind of received frame around which frames are kept, see below |
        | ``before``, ``after`` | the number of frames kept before the trigger, and after it |
        | ``above`` | with the trigger ``latency``: triggers on a frame that took longer, such as ``1 ms`` |
        | ``trigger_filter`` | with the trigger ``filter``: an expression of pcap-filter(7) |

        Frames are stamped with the clock that measures latencies, so the arrival minus the departure is the
        latency of a frame. Several captures can run at once, beside traffic and trials.

        A ``trigger`` keeps the frames *before* something went wrong as well. ``gap`` is the first frame of a
        stream behind frames that have not arrived (lost, or overtaken), ``latency`` a frame that was too
        late, ``damage`` a frame that is not what was sent, ``filter`` a frame that the filter matches. The
        capture is complete ``after`` further frames; until the trigger it keeps the last frames. ``keep`` and
        ``frames`` are left out then. ``triggered`` of `Get Capture Statistics` says whether it was triggered.

        A capture never delays the tester. If it has no room for a frame, the frame is missing in the file and
        counted as dropped. Trials say so, and still measure all frames.

        | `Start Capture` | questions | port=p1 | filter=udp port 53 |
        | `Measure Loss` | north | duration=1 s |
        | ${file} = | `Stop Capture` | questions |
        | `Get Capture Statistics` | questions | dropped | == | 0 |

        | `Start Capture` | hiccup | streams=north | trigger=gap | before=100 | after=20 |
        """
        suite = self._suite
        capture = Capture(
            name=name or suite.captures.free_name(),
            ports=() if port is None else (port,),
            direction=direction,
            filter=filter or "",
            streams=tuple(stream.name for stream in suite.chosen(streams)) if streams else (),
            keep=keep,
            frames=frames,
            snap_length=snap_length,
            trigger=trigger and CaptureTrigger(trigger, before, after, above, trigger_filter or ""),
        )
        suite.captures.start(capture, parquet=parquet)
        return capture.name

    @keyword(tags=["capture"])
    def stop_capture(self, name: str | None = None) -> str:
        """Ends a capture and returns the path of its file, which is linked in the log.

        | ``name`` | the name of the capture; may be left out if only one is running |

        The file is pcapng with nanoseconds, in ``evidence/captures`` beside Robot's own output. Wireshark
        shows the port of each frame as its interface, its direction, and in a comment its stream and its
        number in the stream. `Create Replay Stream` replays it. Captures that are still running when the
        tester is closed are written then.

        The log and Allure show the frames over time as they left and arrived, with the lost frames.

        If trials lost frames while the capture ran, the frames around the first three losses are in a second
        file, ``NAME-losses.pcapng``, and as a table in the log and in Allure. After ``parquet=True`` of
        `Start Capture`, ``tester query RUN "select … from frames"`` reads the rows; stop traffic before the
        capture, so that the rows belong to its trial.

        | ${file} = | `Stop Capture` |
        """
        capture = self._suite.captures.stop(name)
        show_capture(self._suite.recorder, capture)
        return str(capture.path)

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

        | ``name`` | the name of the capture; may be left out if only one is running |
        | ``statistic`` | ``seen``, ``matched``, ``captured`` or ``dropped`` frames; all counters by default |
        | ``assertion_expected`` | a number of frames |

        ``seen`` frames went through the ports, ``matched`` frames passed the filter, ``captured`` frames are
        kept. ``dropped`` frames matched, but the capture had no room for them; on a switch this includes
        copies that were lost, which may not have matched. An assertion on ``captured`` or ``matched`` is
        INCONCLUSIVE if dropped frames could change it. Without a statistic it returns an object with these
        attributes, with ``running``, ``triggered`` and ``ports``: the same counters (except ``captured``) of
        each port.

        | `Get Capture Statistics` | questions | matched | > | 0 |
        """
        counters = self._suite.captures.statistics(name)
        if statistic is None:
            return counters
        value = asserted(
            self._suite,
            int(getattr(counters, statistic.value)),
            assertion_operator,
            assertion_expected,
            subject=f"frames {statistic.value} of capture {counters.name}",
            known=counters.bounds(statistic.value),
            message=message,
        )
        return int(value)
