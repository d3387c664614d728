# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that describe traffic; nothing is sent."""

from __future__ import annotations

from robot.api.deco import keyword

from ..jobs.field_values import parse_shares
from ..model.headers import HeaderStack
from ..model.mix import parse_frame_sizes
from ..model.stream import Stream
from ..model.units import LINE_RATE, FrameSize, FrameSizes, Rate
from ..session import Session
from ._component import component


@component
class Streams:
    """Describing streams."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["stream"])
    def create_stream(
        self,
        name: str,
        tx: str = "p1",
        rx: str = "p2",
        frame_size: FrameSizes = FrameSize(64),
        rate: Rate = LINE_RATE,
        headers: HeaderStack | None = None,
    ) -> str:
        """Describes a stream of UDP test frames (RFC 2544 appendix C.2.6). Returns its name. Nothing is sent.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call the stream; one that exists is replaced |
        | ``tx`` | the port of the testbed it leaves |
        | ``rx`` | the port on which it is expected |
        | ``frame_size`` | bytes, FCS included, or a mix as in `Set Frame Size` |
        | ``rate`` | ``10 Gbps`` (L2), ``10 Gbps L1``, ``1.5 Mpps`` or ``95 %`` of the port's line rate |
        | ``headers`` | as in `Set Headers`; Ethernet, IP and UDP, if they are left out |

        A frame longer than the port's limit or a rate above the line rate is refused, naming the limit.

        | `Create Stream` | north | tx=p1 | rx=p2 | frame_size=512 | rate=50 % |
        """
        self._session.put(Stream(name, tx=tx, rx=rx, frame_size=frame_size, rate=rate, headers=headers))
        return name

    @keyword(tags=["stream"])
    def set_rate(self, stream: str, rate: Rate) -> None:
        """Changes the rate of a stream, also while it is sending: then it goes on at the new rate.

        | =Argument= | =Meaning= |
        | ``stream`` | its name |
        | ``rate`` | as in `Create Stream` |

        | `Set Rate` | north | 1.5 Mpps |
        """
        self._session.change(stream, rate=rate)

    @keyword(tags=["stream"])
    def set_frame_size(self, stream: str, frame_size: FrameSizes) -> None:
        """Changes the frame size of a stream that is not sending; also to a mix of several.

        | =Argument= | =Meaning= |
        | ``stream`` | its name |
        | ``frame_size`` | bytes, FCS included, or a mix |

        A mix is ``imix``, the simple one (64, 570 and 1518 bytes as 7 to 4 to 1), or a genome of RFC 6985:
        ``IMIX(aaafg)`` sends 64, 64, 64, 1280 and 1518 bytes, again and again. Its letters a to j are 64,
        128, 256, 512, 1024, 1280, 1518, 2112, 9000 and 16000; ``z``, the MTU, and capital letters are given
        with it: ``IMIX(aAz, A=400, z=1400)``.

        Rates in bits and in ``%`` are those of the average size; results say which mix they are of.

        | `Set Frame Size` | north | 1518 |
        | `Set Frame Size` | north | imix |
        """
        self._session.change(stream, frame_size=frame_size)

    @keyword(tags=["stream"])
    def create_mix(self, name: str, rate: Rate, **shares: str) -> str:
        """Sends streams in fixed proportions: each gets its share of a rate. Returns the mix's name.

        | =Argument= | =Meaning= |
        | ``name`` | stands for all its streams where keywords take streams to start or to measure |
        | ``rate`` | of all frames together, as in `Create Stream`; in bits and ``%`` of their average size |
        | ``shares`` | evenly spaced streams of one port: parts of all frames, in ``%`` or as weights |

        Each stream stays evenly spaced and begins at another time. So wherever one looks, as many frames
        as all shares are whole parts of (five, for 20 % and 80 %), or a multiple of them, have exactly these
        proportions. A new rate for one of the streams ends that.

        | `Create Mix` | office | rate=1 Gbps | voice=20 % | web=80 % |
        | `Find Throughput` | office |
        """
        self._session.put_mix(name, parse_shares(shares), rate)
        return name

    @keyword(tags=["stream"])
    def set_size_mix(self, stream: str, *weights: str) -> None:
        """Gives the frames of a stream that is not sending several sizes, each as often as its weight says.

        | =Argument= | =Meaning= |
        | ``stream`` | its name |
        | ``weights`` | sizes in bytes, FCS included, and weights: ``64:7`` |

        The order is as even as can be and always the same: after any number of frames each size has been sent
        as often as its share of them, to within one frame. So any number of consecutive frames that is a
        multiple of the sum of the weights has exactly their proportions.

        | `Set Size Mix` | north | 64:7 | 570:4 | 1518:1 |
        """
        self._session.change(stream, frame_size=parse_frame_sizes(" ".join(weights)))
