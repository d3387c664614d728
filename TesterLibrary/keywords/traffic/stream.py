# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that describe traffic; nothing is sent."""

from __future__ import annotations

from robot.api.deco import keyword

from ...files.field_values import parse_shares
from ...model.forwarding import Forwarding
from ...model.headers import HeaderStack
from ...model.mix import mix_of
from ...model.stream import Stream
from ...model.units.units import LINE_RATE, Duration, FrameSize, FrameSizes, Rate
from ...running.suite import Suite
from .._component import component


@component
class Streams:
    """Describing streams."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def create_stream(
        self,
        name: str,
        tx: str = "p1",
        rx: str = "p2",
        frame_size: FrameSizes = FrameSize(64),
        rate: Rate = LINE_RATE,
        headers: HeaderStack | None = None,
        signature: bool = True,
        start_after: Duration = Duration(0),
        forwarding: Forwarding | None = None,
        together: bool = False,
    ) -> str:
        """Describes a stream of UDP test frames (RFC 2544 appendix C.2.6). Returns its name. Nothing is sent.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call the stream; one that exists is replaced |
        | ``tx`` | the port of the testbed that the stream leaves |
        | ``rx`` | the port on which it is expected |
        | ``frame_size`` | bytes, FCS included, or a mix as in `Set Frame Size` |
        | ``rate`` | ``10 Gbps`` (L2), ``10 Gbps L1``, ``1.5 Mpps`` or ``95 %`` of the port's line rate |
        | ``headers`` | the headers, as in `Set Headers`; Ethernet, IP and UDP, if they are left out |
        | ``signature`` | whether 16 bytes at the end of each payload say which frame it is |
        | ``start_after`` | how much later than the streams that are started with it its first frame leaves |
        | ``forwarding`` | what the device may do with headers; as the testbed says, if it is left out |
        | ``together`` | whether it starts at once with other streams of its port and rate |

        A frame counts as received if it is the frame that was sent, as a device of this kind may change it
        (RFC 1242 §3.6). ``forwarding`` is ``bridged``: headers arrive as they were sent; ``routed``: MAC
        addresses, VLANs, TTL or hop limit and DSCP may change; or ``translated``: whatever NAT, balancers and
        gateways of tunnels do to headers. All may add and remove VLAN tags and padding, and leave lengths and
        checksums right. Other frames are lost; verdicts say what was wrong with their headers.

        With ``signature=False`` nothing is written into payloads. Frames are then known by what their headers
        have in common, and cannot be told from each other: latency of single frames, order, outages and flows
        are not measured. A frame that arrives twice may hide one that was lost, so of loss and throughput
        only bounds are known: a verdict on them is FAIL or INCONCLUSIVE. `Measure Blind Delay` is right if no
        frame arrived twice, as it says. Two such streams that arrive on one port differ in an address, a port
        or another field that stays the same in all frames, or are refused. Devices may write MAC addresses
        where they route, traffic classes, hop counts, IPv4 identifications and checksums.

        Streams that are started together, leave one port and have one rate start spread over their gap: the
        k-th of n starts k/n of the gap after the first, and the log says so. ``together=True`` has all frames
        of such streams due at once: a burst. Streams with ``start_after`` start as that says.

        A stream that starts later, such as the aggressor of another one, sends for the rest of a trial. Rates
        of the trial are averages over its whole duration. `Set Rate` lets it go on at once. On a
        switch it is later by whole frames of its own, and a time that is more than 5 % off them is refused.

        A frame longer than the port's limit or a rate above the line rate is refused, naming the limit.

        | `Create Stream` | north | tx=p1 | rx=p2 | frame_size=512 | rate=50 % |
        | `Create Stream` | call | frame_size=218 | signature=False |
        | `Create Stream` | aggressor | rate=90 % | start_after=2 s |
        """
        self._suite.put(
            Stream(
                name,
                tx=tx,
                rx=rx,
                frame_size=frame_size,
                rate=rate,
                headers=headers,
                signature=signature,
                start_after=start_after,
                together=together,
                forwarding=forwarding,
            )
        )
        return name

    @keyword(tags=["stream"])
    def set_rate(self, name: str, rate: Rate) -> None:
        """Changes the rate of a stream, also while it is sending: then it goes on at the new rate.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stream |
        | ``rate`` | the rate, as in `Create Stream` |

        | `Set Rate` | north | 1.5 Mpps |
        """
        self._suite.change(name, rate=rate)

    @keyword(tags=["stream"])
    def set_frame_size(self, name: str, *frame_sizes: FrameSizes) -> None:
        """Changes the frame size of a stream that is not sending; also to a mix of several.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stream |
        | ``frame_sizes`` | bytes, FCS included; a mix; or several sizes with their weights: ``64:7`` |

        Weights are sent in an order that is as even as can be and always the same: after any number of frames
        each size has been sent as often as its share of them, to within one frame. So any number of
        consecutive frames that is a multiple of the sum of the weights has exactly their proportions.

        Another mix is ``imix``, the simple one (64, 570 and 1518 bytes as 7 to 4 to 1), or a genome of RFC
        6985: ``IMIX(aaafg)`` sends 64, 64, 64, 1280 and 1518 bytes, again and again. Its letters a to j are
        64, 128, 256, 512, 1024, 1280, 1518, 2112, 9000 and 16000; ``z``, the MTU, and capital letters are
        given with it: ``IMIX(aAz, A=400, z=1400)``.

        Rates in bits and in ``%`` are those of the average size; results say which mix they are of.

        | `Set Frame Size` | north | 1518 |
        | `Set Frame Size` | north | imix |
        | `Set Frame Size` | north | 64:7 | 570:4 | 1518:1 |
        """
        self._suite.change(name, frame_size=mix_of(frame_sizes))

    @keyword(tags=["stream"])
    def create_mix(self, name: str, rate: Rate, **shares: str) -> str:
        """Sends streams in fixed proportions: each gets its share of a rate. Returns the mix's name.

        | =Argument= | =Meaning= |
        | ``name`` | stands for all its streams where keywords take streams to start or to measure |
        | ``rate`` | the rate of all frames together, as in `Create Stream`; in bits, of their average size |
        | ``shares`` | evenly spaced streams of one port: parts of all frames, in ``%`` or as weights |

        Each stream stays evenly spaced and begins at another time. So wherever one looks, as many frames
        as all shares are whole parts of (five, for 20 % and 80 %), or a multiple of them, have exactly these
        proportions. A new rate for one of the streams ends that.

        | `Create Mix` | office | rate=1 Gbps | voice=20 % | web=80 % |
        | `Find Throughput` | office |
        """
        self._suite.put_mix(name, parse_shares(shares), rate)
        return name
