# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for traffic over several ports (RFC 2544 §16, RFC 2889 §5)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...errors import PlanError
from ...model.headers import HeaderStack
from ...model.port_pattern import PortPattern
from ...model.ports import Forwarding
from ...model.stream import Stream
from ...model.units.units import LINE_RATE, FrameSize, FrameSizes, Rate
from ...running.suite import Suite
from .._component import component

_TO_ALL = HeaderStack.parse('Ether(dst="ff:ff:ff:ff:ff:ff") / IP / UDP')


@component
class PortPatterns:
    """Describing streams over several ports."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2889", "stream"])
    def create_streams_over_ports(
        self,
        name: str,
        *ports: str,
        pattern: PortPattern = PortPattern.MESH,
        frame_size: FrameSizes = FrameSize(64),
        rate: Rate = LINE_RATE,
        headers: HeaderStack | None = None,
        forwarding: Forwarding | None = None,
    ) -> str:
        """Describes streams between several ports (RFC 2544 §16, RFC 2889 §5). Returns the name of them all.

        | =Argument= | =Meaning= |
        | ``name`` | the name of all these streams together, for keywords that start or measure streams |
        | ``ports`` | ports of the testbed; by default all in the order of their names |
        | ``pattern`` | which ports send to which, see below |
        | ``frame_size`` | bytes, FCS included, or a mix as in `Set Frame Size` |
        | ``rate`` | the intended load of each sending port, as in `Create Stream` |
        | ``headers`` | the headers, as in `Set Headers`; Ethernet, IP and UDP by default |
        | ``forwarding`` | what the device may do with headers, as in `Create Stream` |

        ``pattern`` is one of
        - ``pairs``: the first and the second port send to each other, the third and the fourth, and so on;
        - ``mesh``: each port sends to every other port (fully meshed, RFC 2889 §5.1);
        - ``backbone``: the first port sends to every other port, and they send to it (§5.2);
        - ``one-to-many``, ``many-to-one``: one direction of it; if the loads of the senders add up to more
          than 100 %, the receiving port is overloaded;
        - ``halves``: each port of the first half sends to each port of the second half (§5.4).

        The streams of a port have equal parts of its rate, and their frames leave in turn. The name of a
        stream is this name, a space, and its ports: ``mesh p1-p2``. A load of `Find Throughput` and of other
        procedures is the load of a port. A switch as the tester may have no room to send in turn; then its
        frames leave at equal gaps, and `tester plan` says so.

        | `Create Streams Over Ports` | mesh | p1 | p2 | p3 | p4 | frame_size=512 |
        | ${result} = | `Find Throughput` | mesh |
        | `Create Streams Over Ports` | uplink | pattern=many-to-one | rate=33 % |
        """
        chosen = ports or tuple(sorted(self._suite.tester.ports))
        stream = Stream(
            name,
            tx=chosen[0],
            rx=chosen[-1],
            frame_size=frame_size,
            rate=rate,
            headers=headers,
            forwarding=forwarding,
        )
        self._suite.put_over_ports(stream, pattern, chosen)
        return name

    @keyword(tags=["rfc2889", "stream"])
    def create_broadcast_stream(
        self,
        name: str,
        *ports: str,
        frame_size: FrameSizes = FrameSize(64),
        rate: Rate = LINE_RATE,
    ) -> str:
        """Describes a stream of broadcast frames to several ports (RFC 2889 §5.10). Returns its name.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stream; an existing stream of this name is replaced |
        | ``ports`` | the port that sends, then the ports that receive; all of the testbed by default |
        | ``frame_size`` | bytes, FCS included, or a mix as in `Set Frame Size` |
        | ``rate`` | the rate, as in `Create Stream` |

        A frame is lost if it misses one of the ports. Latency, order, outages and received rate are measured
        at the first port that receives; frames that are missing at other ports leave outages there open. At
        the other ports frames are counted together: a port that gets frames twice hides that another port
        misses as many.

        | `Create Broadcast Stream` | broadcast | p1 | p3 | p2 | p4 | frame_size=64 |
        | ${result} = | `Find Throughput` | broadcast |
        | `Measure Latency` | broadcast | rate=${result.part('80 %')} |
        """
        chosen = ports or tuple(sorted(self._suite.tester.ports))
        if len(chosen) < 2:
            raise PlanError(
                f"a broadcast goes from one port to others; give two or more ports, not {', '.join(chosen)}"
            )
        sender, first, *others = chosen
        self._suite.put(
            Stream(
                name,
                tx=sender,
                rx=first,
                copies=tuple(others),
                frame_size=frame_size,
                rate=rate,
                headers=_TO_ALL,
            )
        )
        return name
