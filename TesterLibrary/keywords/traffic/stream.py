# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that describe traffic; nothing is sent."""

from __future__ import annotations

from robot.api.deco import keyword

from ...files.field_values import parse_shares
from ...model.headers import HeaderStack
from ...model.mix import mix_of
from ...model.ports import Forwarding
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
        | ``name`` | the name of the stream; an existing stream of this name is replaced |
        | ``tx`` | the port of the testbed that the stream leaves |
        | ``rx`` | the port on which it is expected |
        | ``frame_size`` | bytes, FCS included, or a mix as in `Set Frame Size` |
        | ``rate`` | ``10 Gbps`` (L2), ``10 Gbps L1``, ``1.5 Mpps`` or ``95 %`` of the port's line rate |
        | ``headers`` | the headers, as in `Set Headers`; Ethernet, IP and UDP by default |
        | ``signature`` | True: the last 16 bytes of each payload identify the frame |
        | ``start_after`` | the delay of its first frame after the streams that start with it |
        | ``forwarding`` | what the device may do with headers; by default as the testbed says |
        | ``together`` | True: it starts at the same time as other streams of its port and rate |

        A frame counts as received if it is the frame that was sent, with the changes that a device of this
        kind may make (RFC 1242 §3.6). ``forwarding`` is ``bridged``: headers arrive as they were sent;
        ``routed``: MAC addresses, VLANs, TTL or hop limit and DSCP may change; or ``translated``: NAT,
        balancers and tunnel gateways may change headers. All of them may add and remove VLAN tags and
        padding, and keep lengths and checksums right. Other frames are lost; verdicts say what was wrong with
        their headers.

        With ``signature=False`` nothing is written into payloads. The tester then recognises the frames of a
        stream by the header fields that are the same in all of them, but cannot tell one frame from another:
        latency of single frames, order, outages and flows are not measured. A frame that arrives twice may
        hide one that was lost, so only bounds of loss and throughput are known, and a verdict on them is FAIL
        or INCONCLUSIVE. `Measure Blind Delay` is right if no frame arrived twice. Two such streams that
        arrive on one port must differ in an address, a port or another constant field. Devices may change
        MAC addresses when they route, traffic classes, hop counts, IPv4 identifications and checksums.

        Streams that start together, leave one port and have one rate are spread over their gap: the k-th of n
        starts k/n of the gap after the first, and the log says so. With ``together=True`` the frames of such
        streams are due at the same time: a burst. Streams with ``start_after`` start at that time.

        A stream that starts later, such as an aggressor, sends for the rest of a trial. Rates of the trial
        are averages over its whole duration. `Set Rate` starts it at once. On a switch the delay is a number
        of whole frames of the stream; a time that differs from it by more than 5 % is refused.

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
        """Changes the rate of a stream. A stream that is sending goes on at the new rate.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stream |
        | ``rate`` | the rate, as in `Create Stream` |

        | `Set Rate` | north | 1.5 Mpps |
        """
        self._suite.change(name, rate=rate)

    @keyword(tags=["stream"])
    def set_frame_size(self, name: str, *frame_sizes: FrameSizes) -> None:
        """Changes the frame size of a stream that is not sending, also to a mix of several sizes.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the stream |
        | ``frame_sizes`` | bytes, FCS included; a mix; or several sizes with their weights: ``64:7`` |

        Sizes are sent in an order that is always the same and as even as possible: after any number of frames
        each size has its share of them, to within one frame. Any number of consecutive frames that is a
        multiple of the sum of the weights has exactly the proportions of the weights.

        ``imix`` is the simple mix (64, 570 and 1518 bytes as 7 to 4 to 1). A genome of RFC 6985 is a mix as
        well: ``IMIX(aaafg)`` sends 64, 64, 64, 1280 and 1518 bytes, again and again. Its letters a to j are
        64, 128, 256, 512, 1024, 1280, 1518, 2112, 9000 and 16000. ``z``, the MTU, and capital letters need
        a value: ``IMIX(aAz, A=400, z=1400)``.

        Rates in bits and in ``%`` are those of the average size. Results name their mix.

        | `Set Frame Size` | north | 1518 |
        | `Set Frame Size` | north | imix |
        | `Set Frame Size` | north | 64:7 | 570:4 | 1518:1 |
        """
        self._suite.change(name, frame_size=mix_of(frame_sizes))

    @keyword(tags=["stream"])
    def create_mix(self, name: str, rate: Rate, **shares: str) -> str:
        """Sends streams in fixed proportions: each gets its share of a rate. Returns the mix's name.

        | =Argument= | =Meaning= |
        | ``name`` | the name of the mix, for keywords that start or measure streams |
        | ``rate`` | the rate of all frames together, as in `Create Stream`; in bits, of their average size |
        | ``shares`` | evenly spaced streams of one port: parts of all frames, in ``%`` or as weights |

        Each stream stays evenly spaced and begins at another time. So every group of consecutive frames whose
        number all shares divide (five, for 20 % and 80 %) has exactly these proportions. A new rate for one
        of the streams ends this.

        | `Create Mix` | office | rate=1 Gbps | voice=20 % | web=80 % |
        | `Find Throughput` | office |
        """
        self._suite.put_mix(name, parse_shares(shares), rate)
        return name
