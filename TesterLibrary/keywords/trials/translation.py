# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for streams through devices that translate addresses and ports (RFC 9693)."""

from __future__ import annotations

from robot.api.deco import keyword

from ...model.units.units import Duration, Rate
from ...running.procedures.translation import Translations, learn
from ...running.suite import Suite
from .._component import component

_MINUTE = Duration(60 * 10**9)


@component
class TranslationKeywords:
    """Streams in both directions through NAT."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["send"])
    def send_preliminary_frames(
        self, forward: str, back: str, rate: Rate, timeout: Duration = _MINUTE
    ) -> Translations:
        """Opens each flow of a stream through NAT, and answers it with another stream (RFC 9693, phase 1).

        | ``forward`` | the name of a stream from the private side: UDP or TCP over IP, not at random |
        | ``back`` | the name of a stream from the other side; it gets new destinations |
        | ``rate`` | the rate of new flows, such as ``1000 pps``; the device must be able to open them |
        | ``timeout`` | the longest time that the tester may take; flows that need longer are refused |

        One frame opens each flow. From then on the frames of ``back`` go to the address and port that the
        device gave this flow, flow by flow. So both directions can be measured like all other streams
        (`Find Throughput`, `Measure Latency`, `Sweep Frame Loss`), as long as the device keeps the entries.
        Then each flow is answered once, which validates its entry: the answer has to arrive, in the right
        flow. INCONCLUSIVE if a flow or an answer does not arrive, if the device mixes flows up, or if it does
        not translate. Returns an object with ``flows``, ``inside`` and ``outside``.

        Through NAT64, ``forward`` is IPv6 and ``back`` is IPv4. Give ``back`` the flag ``DF``: a packet that
        may be fragmented becomes a fragment of IPv6 (RFC 7915 §4).

        | `Create Stream` | north | tx=p1 | rx=p2 | headers=Ether / IP(dst="198.19.1.10") / UDP(dport=7) |
        | `Set Field Sweep` | north | UDP.sport | 10000 | 10999 |
        | `Create Stream` | south | tx=p2 | rx=p1 | headers=Ether / IP(src="198.19.1.10") / UDP(sport=7) |
        | `Send Preliminary Frames` | north | south | rate=1000 pps |
        | `Find Throughput` | north | south |
        """
        suite = self._suite
        streams = suite.stream(forward), suite.stream(back)
        learned, answering = learn(suite.tester, *streams, rate=rate, timeout=timeout)
        suite.put(answering)
        return learned
