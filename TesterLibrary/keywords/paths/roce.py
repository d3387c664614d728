# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for both ends of RoCEv2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from robot.api.deco import keyword

from ...model.endpoints import AddressRange, Endpoints
from ...model.queue_pair import PSNS, Messages, QueuePairs, Verb
from ...model.responder import Clients, End, Numbers, Reopen, Responder
from ...model.units.quantity import Octets
from ...model.units.splitmix import splitmix64
from ...model.units.units import Duration
from ...running.suite import Suite
from .._component import component
from .._parameters import with_parameters
from .._shared import shares

TEN_PACKETS = Octets(10_240)  # of the default MTU
FOUR_MICROSECONDS = Duration(4_000)
_TIMEOUT = Duration(67_109_000)  # 4.096 µs * 2^14, the usual one of RDMA NICs
_MICROSECOND = Duration(1_000)
# Arguments, by the parameters of the tables that they set.
_NAMES = {"mtu_bits": "mtu", "size": "message_size", "packets": "message_size", "rest": "message_size"}


@dataclass(frozen=True, kw_only=True)
class QueuePairArguments:
    """The arguments of both ends of queue pairs."""

    name: Annotated[str, "the name of this end, for other keywords"]
    queue_pairs: Annotated[int, "the number of queue pairs"] = 1
    qpn: Annotated[int, "the number of the first queue pair at both ends; the others follow it"] = 17
    initial_psn: Annotated[
        int | None,
        "the first packet sequence number at both ends; by default from the ``seed`` of the library",
    ] = None
    mtu: Annotated[int, "the most bytes of payload of a packet: 256, 512, 1024, 2048 or 4096"] = 1024
    cnp_interval: Annotated[
        Duration, "the least time between two congestion notifications of a queue pair"
    ] = FOUR_MICROSECONDS
    vlan: Annotated[int | None, "the VLAN of the tag of all frames; no tag by default"] = None


@component
class RoCE:
    """Both ends of reliable connections over RoCEv2, in software."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(name="Start RoCE Responder", tags=["responder"])
    @shares(QueuePairArguments, before="queue_pairs")
    def start_roce_responder(
        self,
        shared: QueuePairArguments,
        port: str = "p2",
        address: AddressRange | None = None,
        protocol: str = "roce-responder",
        **parameters: Any,
    ) -> str:
        """Receives SEND and WRITE of RoCEv2, and answers READ, until `Stop Responder`. Returns the name.

        | ``port`` | the port of the tester |
        | ``address`` | its IPv4 address; that of the port by default |
        | ``protocol`` | its table; a changed copy in a file, such as one that breaks a rule, tests the peer |
        | ``parameters`` | parameters of that table, such as ``gap=5 us`` between responses |

        It acknowledges packets in order, and sends one NAK for a missing packet. It drops packets behind the
        missing one. It answers a packet with ECN *congestion experienced* by a CNP, at most once per
        ``cnp_interval``. Packets with a wrong ICRC count as ``malformed`` and are dropped. Both ends of a
        queue pair have the same number. It has no memory: a READ returns a pattern.

        `Get Session Statistics` has ``packets``, ``bytes``, ``messages``, ``reads``, ``out_of_sequence``,
        ``naks``, ``duplicates``, ``marked``, ``cnps``, ``refused`` and ``unknown`` (queue pairs).

        | `Start RoCE Responder` | storage | port=p2 | queue_pairs=2 |
        """
        values = {"qpn": shared.qpn, "queue_pairs": shared.queue_pairs}
        return self._start(
            Responder(
                name=shared.name,
                port=port,
                protocol=protocol,
                servers=Endpoints(address) if address else None,
                parameters={**self._common(shared), **values},
                vlan=shared.vlan,
            ),
            parameters,
        )

    @keyword(name="Start RoCE Requester", tags=["clients"])
    @shares(QueuePairArguments, before="queue_pairs")
    def start_roce_requester(
        self,
        shared: QueuePairArguments,
        target: AddressRange,
        port: str = "p1",
        verb: Verb = Verb.WRITE,
        messages: int = 10,
        message_size: Octets = TEN_PACKETS,
        depth: int = 1,
        gap: Duration = _MICROSECOND,
        ack_timeout: Duration = _TIMEOUT,
        retries: int = 7,
        protocol: str = "roce-requester",
        **parameters: Any,
    ) -> str:
        """Sends messages of RDMA over RoCEv2 on queue pairs, until they are all complete. Returns the name.

        | ``target`` | the IPv4 address of the responder |
        | ``port`` | the port of the tester |
        | ``verb`` | ``SEND``, ``WRITE`` or ``READ`` |
        | ``messages`` | the number of messages that each queue pair sends or reads |
        | ``message_size`` | bytes of a message, ``100 kB`` |
        | ``depth`` | the most messages of a queue pair that wait for an answer; 1 with READ |
        | ``gap`` | the time between two packets of a queue pair, in whole microseconds |
        | ``ack_timeout`` | the time without an answer after which a queue pair sends again from there on |
        | ``retries`` | how often it does so in a row, up to 7; then the queue pair has failed |
        | ``protocol`` | its table; a changed copy in a file, such as one that breaks a rule, tests the peer |
        | ``parameters`` | parameters of that table, such as ``address=0x1000`` and ``key=7`` |

        Queue pairs go back N: after a NAK, a missing response to READ or a timeout, all packets from there on
        are sent again. They count congestion notifications, and do not slow down. `Wait For Clients` waits
        until each queue pair has all answers.

        `Get Session Statistics` has ``packets`` (sent for the first time), ``retransmitted``,
        ``transactions`` (complete messages), ``finished`` (queue pairs), ``naks``, ``timeouts``,
        ``out_of_sequence`` (responses to READ), ``bytes`` (of READ), ``cnps`` (received), ``marked``,
        ``stale``, ``not_ready``, ``refused`` and ``timed_out``.

        | `Start RoCE Responder` | storage | port=p2 | queue_pairs=2 |
        | `Start RoCE Requester` | compute | 198.18.1.3 | queue_pairs=2 | verb=WRITE | message_size=100 kB |
        | `Wait For Clients` | compute |
        """
        sending = Messages(verb=verb, count=messages, size=message_size.count, depth=depth)
        values = {
            **self._common(shared),
            **sending.parameters(shared.mtu),
            "gap": gap,
            "ack_timeout": ack_timeout,
            "retries": retries,
        }
        return self._start(
            Clients(
                name=shared.name,
                port=port,
                protocol=protocol,
                target=Endpoints(target),
                keys={"BTH.dqpn": Numbers(shared.qpn, shared.queue_pairs)},
                connections=shared.queue_pairs,
                total=shared.queue_pairs,
                reopen=Reopen.NEVER,
                first_source=0,
                parameters=values,
                vlan=shared.vlan,
            ),
            parameters,
        )

    def _common(self, shared: QueuePairArguments) -> dict[str, Any]:
        """The parameters that both tables have."""
        psn = shared.initial_psn
        pairs = QueuePairs(
            first=shared.qpn,
            count=shared.queue_pairs,
            initial_psn=splitmix64(self._suite.seed, shared.qpn) % PSNS if psn is None else psn,
            mtu=shared.mtu,
        )
        return {**pairs.parameters, "cnp_interval": shared.cnp_interval}

    def _start(self, end: End, parameters: Mapping[str, Any]) -> str:
        return self._suite.connections.start(with_parameters(end, parameters, [], _NAMES))
