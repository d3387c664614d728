# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the gaps between frames: laws, lists, and those of a capture."""

from __future__ import annotations

from pathlib import Path

from robot.api.deco import keyword

from ...errors import PlanError
from ...files.capture_survey import survey
from ...files.shaping_text import ArrivalLaw, arrivals, rewrite
from ...model.departures import CaptureReplay
from ...model.stream import Stream
from ...model.units.units import LINE_RATE, MIN_FRAME_SIZE, Duration, FrameSize, FrameSizes, Rate, Ratio
from ...running.suite import Suite, naming
from .._component import component


@component
class Arrivals:
    """Laws of arrivals."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def set_arrivals(
        self,
        name: str,
        law: ArrivalLaw,
        *values: str,
        file: str | None = None,
        spread: Ratio = Ratio.parse("100 %"),
        on: Duration | None = None,
        off: Duration | None = None,
        repeat: bool = True,
    ) -> None:
        """Draws the gaps between the frames of a stream from a law, also while it is sending.

        | ``name`` | the name of the stream |
        | ``law`` | ``constant``, ``poisson``, ``uniform``, ``on-off``, ``cdf`` or ``gaps`` |
        | ``values`` | points ``gap:probability`` of ``cdf``, linear between them; or the gaps of ``gaps`` |
        | ``file`` | instead of values: CSV with a gap, or a gap and a probability, a line; or a YAML list |
        | ``spread`` | the spread of ``uniform``: gaps from (1 - spread) to (1 + spread) times the mean |
        | ``on`` | the mean time of sending of ``on-off``, at a constant rate; times are exponential |
        | ``off`` | the mean time of silence of ``on-off`` |
        | ``repeat`` | True: the list of ``gaps`` begins again at its end; False: the stream ends |

        ``constant``, ``poisson``, ``uniform`` and ``on-off`` keep the average rate of the stream. ``cdf`` and
        ``gaps`` define their own rate; `Set Rate`, or a trial at another load, scales their gaps. Random gaps
        follow from the library's seed. A gap of 0 is back to back.

        A CDF that falls or does not end at 1, and an empty list, are refused. So is a peak of ``on-off``, or
        a gap of a list, that exceeds the line rate.

        | `Set Arrivals` | north | poisson |
        | `Set Arrivals` | north | on-off | on=10 ms | off=30 ms |
        | `Set Arrivals` | north | cdf | 5 us:0 | 20 us:50 % | 1 ms:1 |
        | `Set Arrivals` | north | gaps | file=trace.csv | repeat=False |
        """
        self._suite.shape(
            name,
            lambda: arrivals(law, values, file=file, spread=spread, on=on, off=off, repeat=repeat),
        )

    @keyword(tags=["stream"])
    def create_replay_stream(
        self,
        name: str,
        path: str,
        *rewrites: str,
        tx: str = "p1",
        rx: str = "p2",
        scale: float = 1,
        rate: Rate | None = None,
        repetitions: int = 1,
        next_hop: bool = True,
    ) -> str:
        """Describes a stream of the frames of a capture file. Returns its name. Nothing is sent.

        | ``name`` | the name of the stream; an existing stream of this name is replaced |
        | ``path`` | the path of a pcap or pcapng file with Ethernet frames, on the machine of the tester |
        | ``rewrites`` | addresses to replace: ``10.0.0.1=198.18.0.2``; MAC, IPv4 or IPv6 |
        | ``tx`` | the port that the stream leaves |
        | ``rx`` | the port on which it is expected |
        | ``scale`` | a factor on the captured gaps: ``0.5`` is twice as fast |
        | ``rate`` | instead of the captured gaps: one rate for all frames, as in `Set Rate` |
        | ``repetitions`` | how often the file is sent; 0: without end |
        | ``next_hop`` | True: every destination MAC address becomes that of the gateway, or of ``rx`` |

        The file is read while it is sent and may be larger than memory. With ``next_hop`` frames are counted
        where they arrive; without it only the sent frames are known. Latency is not measured. A file that is
        cut short, of another link type, or with a frame that the port cannot send is refused before anything
        is sent.

        A rate in bits or ``%`` is that of the mean size of the captured frames. If the tester runs on another
        machine, only the tester can read the file, and the rate has to be in ``pps``.

        | `Create Replay Stream` | replayed | voip.pcapng | 10.1.1.1=198.18.0.2 | scale=0.1 |
        | ${trial} = | `Send Traffic` | replayed |
        """
        sizes = self._sizes(name, path)
        capture = naming(
            name,
            lambda: CaptureReplay(
                path=path,
                scale=None if rate else scale,
                repetitions=repetitions,
                rewrites=tuple(map(rewrite, rewrites)),
                next_hop=next_hop,
            ),
        )
        stream = Stream(name, tx=tx, rx=rx, frame_size=sizes, rate=rate or LINE_RATE, shaping=capture)
        self._suite.put(stream)
        return name

    def _sizes(self, stream: str, path: str) -> FrameSizes:
        """The frame sizes of a capture file. They are not known here if the tester is on another machine."""
        if not self._is_here():
            return FrameSize(MIN_FRAME_SIZE)
        if not Path(path).is_file():
            raise PlanError(f"stream {stream!r}: there is no capture file {path} (from {Path.cwd()})")
        return survey(path) or FrameSize(MIN_FRAME_SIZE)

    def _is_here(self) -> bool:
        """Whether the tester reads the files of this machine, as one does that is started here."""
        opened = self._suite.open_testbed.testbed
        if not opened or opened.testbed.dut.is_simulated:
            return False
        return all(spec.is_local for spec in opened.testbed.specs)
