# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that describe traffic; nothing is sent."""

from __future__ import annotations

from robot.api.deco import keyword

from ..model.headers import HeaderStack
from ..model.stream import Stream
from ..model.units import LINE_RATE, FrameSize, Rate
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
        frame_size: FrameSize = FrameSize(64),
        rate: Rate = LINE_RATE,
        headers: HeaderStack | None = None,
    ) -> str:
        """Describes a stream of UDP test frames (RFC 2544 appendix C.2.6). Returns its name. Nothing is sent.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call the stream; one that exists is replaced |
        | ``tx`` | the port of the testbed it leaves |
        | ``rx`` | the port on which it is expected |
        | ``frame_size`` | bytes, FCS included |
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
    def set_frame_size(self, stream: str, frame_size: FrameSize) -> None:
        """Changes the frame size of a stream that is not sending.

        | =Argument= | =Meaning= |
        | ``stream`` | its name |
        | ``frame_size`` | bytes, FCS included |

        | `Set Frame Size` | north | 1518 |
        """
        self._session.change(stream, frame_size=frame_size)
