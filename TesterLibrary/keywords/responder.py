# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that answer on a port."""

from __future__ import annotations

from typing import Any

from robot.api.deco import keyword

from ..measurement.sessions import SessionStatistics
from ..model.endpoints import AddressRange, Endpoints
from ..model.quantity import Octets
from ..model.responder import DEFAULT_CAPACITY, Responder
from ..session import Session
from ._component import component

ONE_KILOBYTE = Octets(1000)
NOTHING = Octets(0)


@component
class Responders:
    """Responders run until they are stopped."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["responder"])
    def start_http_responder(
        self,
        name: str,
        port: str = "p2",
        servers: Endpoints | None = None,
        body: Octets = ONE_KILOBYTE,
        flows: int = DEFAULT_CAPACITY,
        vlan: int | None = None,
        **parameters: Any,
    ) -> str:
        """Serves HTTP/1.1 until `Stop Responder`: GET, HEAD and POST (RFC 9112). Returns the name.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call it |
        | ``port`` | of the tester |
        | ``servers`` | addresses and ports, ``10.1.0.10-10.1.0.13:80``; the port's own address, if left out |
        | ``body`` | of the answer to ``GET /``; ``GET /5000`` is answered with 5,000 bytes |
        | ``flows`` | connections at once, at most |
        | ``vlan`` | of a tag that all frames have |
        | ``parameters`` | of the tables http-server and tcp, such as ``rto=50 ms``, ``window=32768`` |

        The tester answers ARP for the servers that are in the network of the port.

        | `Start HTTP Responder` | backends | port=p2 | servers=10.1.0.10-10.1.0.13:80 | body=1 MB |
        """
        return self._start(
            name, "http-server", port, servers, flows, vlan, {"body": body.count, **parameters}
        )

    @keyword(tags=["responder"])
    def start_tcp_responder(
        self,
        name: str,
        port: str = "p2",
        servers: Endpoints | None = None,
        size: Octets = NOTHING,
        flows: int = DEFAULT_CAPACITY,
        vlan: int | None = None,
        **parameters: Any,
    ) -> str:
        """Takes streams of TCP until `Stop Responder` (RFC 9293). Returns the name.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call it |
        | ``port`` | of the tester |
        | ``servers`` | addresses and ports, ``10.1.0.10:5001``; the port's own address, if left out |
        | ``size`` | of what it sends on each connection once the client has finished |
        | ``flows`` | connections at once, at most |
        | ``vlan`` | of a tag that all frames have |
        | ``parameters`` | of the tables tcp-server and tcp, such as ``listen=0`` to refuse all connections |

        | `Start TCP Responder` | sink | servers=10.1.0.10:5001 |
        """
        return self._start(name, "tcp-server", port, servers, flows, vlan, {"size": size.count, **parameters})

    @keyword(tags=["responder"])
    def start_udp_responder(
        self,
        name: str,
        port: str = "p2",
        servers: AddressRange | None = None,
        udp_port: int = 7,
        vlan: int | None = None,
    ) -> str:
        """Sends UDP datagrams back until `Stop Responder` (RFC 862). Returns the name.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call it |
        | ``port`` | of the tester |
        | ``servers`` | addresses, ``10.1.0.10-10.1.0.13``; the port's own address, if left out |
        | ``udp_port`` | of the datagrams that are answered |
        | ``vlan`` | of a tag that all frames have |

        | `Start UDP Responder` | echo | servers=10.1.0.10 | udp_port=7 |
        """
        given = Endpoints(servers) if servers else None
        return self._start(name, "udp-echo", port, given, DEFAULT_CAPACITY, vlan, {"port": udp_port})

    @keyword(tags=["responder"])
    def start_arp_responder(
        self,
        name: str,
        addresses: AddressRange,
        port: str = "p2",
        mac: str | None = None,
        vlan: int | None = None,
    ) -> str:
        """Answers ARP, or neighbour solicitations, for a range of addresses until `Stop Responder`.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call it |
        | ``addresses`` | ``198.18.64.0/19``, ``10.1.0.10-10.1.0.13``; IPv4 (RFC 826) or IPv6 (RFC 4861) |
        | ``port`` | of the tester |
        | ``mac`` | in the answers; that of the port, if left out |
        | ``vlan`` | of a tag that all frames have |

        Returns the name. Other responders answer ARP for their own addresses by themselves.

        | `Start ARP Responder` | neighbours | 198.18.64.0/19 | port=p2 |
        """
        protocol = "arp" if addresses.first.version == 4 else "nd"
        parameters = {"mac": mac} if mac else {}
        return self._session.tester.ends.start(
            Responder(
                name=name,
                port=port,
                protocol=protocol,
                answers_for=addresses,
                vlan=vlan,
                parameters=parameters,
            )
        )

    @keyword(tags=["responder"])
    def start_protocol_responder(
        self,
        name: str,
        protocol: str,
        port: str = "p2",
        servers: Endpoints | None = None,
        flows: int = DEFAULT_CAPACITY,
        vlan: int | None = None,
        **parameters: Any,
    ) -> str:
        """Runs a protocol of your own until `Stop Responder`. Returns the name.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call it |
        | ``protocol`` | a file (docs/protocols.md explains), or one of ``tester protocol list`` |
        | ``port`` | of the tester |
        | ``servers`` | addresses and ports, ``10.1.0.10:7000``; the port's own address, if left out |
        | ``flows`` | at once, at most |
        | ``vlan`` | of a tag that all frames have |
        | ``parameters`` | of its tables, by name: numbers, addresses, times |

        | `Start Protocol Responder` | tunnels | ${CURDIR}/tunnel.yaml | servers=10.1.0.10 | silence=5 s |
        """
        return self._start(name, protocol, port, servers, flows, vlan, parameters)

    @keyword(tags=["responder"])
    def stop_responder(self, *names: str) -> SessionStatistics | None:
        """Stops responders, and returns what the last one of them did.

        | =Argument= | =Meaning= |
        | ``names`` | of responders; all, if none is given |

        `Get Session Statistics` goes on telling what they did.

        | `Stop Responder` | backends |
        """
        return self._session.tester.ends.stop(names, Responder)

    def _start(
        self,
        name: str,
        protocol: str,
        port: str,
        servers: Endpoints | None,
        flows: int,
        vlan: int | None,
        parameters: dict[str, Any],
    ) -> str:
        return self._session.tester.ends.start(
            Responder(
                name=name,
                port=port,
                protocol=protocol,
                parameters=parameters,
                servers=servers,
                flows=flows,
                vlan=vlan,
            )
        )
