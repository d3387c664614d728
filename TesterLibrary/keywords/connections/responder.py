# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that start responders: the tester plays servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Annotated, Any

from robot.api.deco import keyword

from ...measurement.sessions import SessionStatistics
from ...model.endpoints import AddressRange, Endpoints
from ...model.responder import Responder
from ...model.units.quantity import Octets
from ...running.suite import Suite
from .._component import component
from .._log import show_states
from .._parameters import with_parameters
from .._shared import shares

ONE_KILOBYTE = Octets(1000)
NOTHING = Octets(0)


@dataclass(frozen=True, kw_only=True)
class ResponderArguments:
    """The arguments of all keywords that start a responder."""

    name: Annotated[str, "the name of the responder, for other keywords"]
    port: Annotated[str, "the port of the tester"] = "p2"
    servers: Annotated[
        Endpoints | None,
        "addresses and ports, ``10.1.0.10-10.1.0.13:80``; the port's own address by default",
    ] = None
    flows: Annotated[int, "the most connections that are served at once"] = Responder.flows
    vlan: Annotated[int | None, "the VLAN of the tag of all frames; no tag by default"] = None


@component
class Responders:
    """Responders run until they are stopped."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(name="Start HTTP Responder", tags=["responder"])
    @shares(ResponderArguments, before="flows")
    def start_http_responder(
        self, shared: ResponderArguments, body: Octets = ONE_KILOBYTE, **parameters: Any
    ) -> str:
        """Serves HTTP/1.1 until `Stop Responder`: GET, HEAD and POST (RFC 9112). Returns the name.

        | =Argument= | =Meaning= |
        | ``body`` | bytes of the response to ``GET /``; the response to ``GET /5000`` has 5,000 bytes |
        | ``parameters`` | parameters of the tables http-server and tcp: ``rto=50 ms``, ``window=32768`` |

        The tester answers ARP for servers in the network of the port.

        | `Start HTTP Responder` | backends | port=p2 | servers=10.1.0.10-10.1.0.13:80 | body=1 MB |
        """
        return self._start("http-server", shared, {"body": body.count}, parameters)

    @keyword(name="Start TCP Responder", tags=["responder"])
    @shares(ResponderArguments, before="flows")
    def start_tcp_responder(
        self, shared: ResponderArguments, size: Octets = NOTHING, **parameters: Any
    ) -> str:
        """Receives streams of TCP until `Stop Responder` (RFC 9293). Returns the name.

        | =Argument= | =Meaning= |
        | ``servers`` | addresses and ports, ``10.1.0.10:5001``; the port's own address by default |
        | ``size`` | bytes that it sends on each connection after the client has finished |
        | ``parameters`` | parameters of the tables tcp-server and tcp; ``listen=0`` refuses all |

        | `Start TCP Responder` | sink | servers=10.1.0.10:5001 |
        """
        return self._start("tcp-server", shared, {"size": size.count}, parameters)

    @keyword(name="Start UDP Responder", tags=["responder"])
    @shares(ResponderArguments, before="vlan", without=("servers", "flows"))
    def start_udp_responder(
        self, shared: ResponderArguments, servers: AddressRange | None = None, udp_port: int = 7
    ) -> str:
        """Sends UDP datagrams back until `Stop Responder` (RFC 862). Returns the name.

        | =Argument= | =Meaning= |
        | ``servers`` | addresses, ``10.1.0.10-10.1.0.13``; the port's own address by default |
        | ``udp_port`` | the UDP port at which datagrams are answered |

        | `Start UDP Responder` | echo | servers=10.1.0.10 | udp_port=7 |
        """
        shared = replace(shared, servers=Endpoints(servers) if servers else None)
        return self._start("udp-echo", shared, {"port": udp_port})

    @keyword(name="Start NAT Responder", tags=["responder"])
    @shares(ResponderArguments, before="flows")
    def start_nat_responder(self, shared: ResponderArguments, **parameters: Any) -> str:
        """Answers `Start NAT Clients` behind NAT until `Stop Responder` (RFC 9693). Returns the name.

        | =Argument= | =Meaning= |
        | ``servers`` | addresses and ports, ``198.19.1.10:9693``; the port's own address by default |
        | ``parameters`` | parameters of the table nat-responder: ``every=250 ms`` |

        It learns the address and port that the device gave to each connection. It asks for held connections
        at intervals of ``every``, which must be less than half of the ``watch`` of the clients.

        | `Start NAT Responder` | outside | servers=198.19.1.10:9693 | every=250 ms |
        """
        return self._start("nat-responder", shared, {}, parameters)

    @keyword(name="Start ARP Responder", tags=["responder"])
    @shares(ResponderArguments, before="vlan", without=("servers", "flows"))
    def start_arp_responder(
        self, shared: ResponderArguments, addresses: AddressRange, mac: str | None = None
    ) -> str:
        """Answers ARP, or neighbour solicitations, for a range of addresses until `Stop Responder`.

        | =Argument= | =Meaning= |
        | ``addresses`` | ``198.18.64.0/19``, ``10.1.0.10-10.1.0.13``; IPv4 (RFC 826) or IPv6 (RFC 4861) |
        | ``mac`` | the MAC address in the answers; that of the port by default |

        Returns the name. Other responders answer ARP for their own addresses.

        | `Start ARP Responder` | neighbours | 198.18.64.0/19 | port=p2 |
        """
        protocol = "arp" if addresses.first.version == 4 else "nd"
        return self._start(protocol, shared, {"mac": mac} if mac else {}, answers_for=addresses)

    @keyword(tags=["responder"])
    @shares(ResponderArguments, before="vlan")
    def start_protocol_responder(self, shared: ResponderArguments, protocol: str, **parameters: Any) -> str:
        """Runs a protocol of your own until `Stop Responder`. Returns the name.

        | =Argument= | =Meaning= |
        | ``protocol`` | a file (docs/protocols.md explains), or one of ``tester protocol list`` |
        | ``servers`` | addresses and ports, ``10.1.0.10:7000``; the port's own address by default |
        | ``flows`` | the most flows that are served at once |
        | ``parameters`` | parameters of its tables by name: numbers, addresses, times, amounts of data |

        The log shows the states of the protocol, and the transitions between them.

        | `Start Protocol Responder` | tunnels | ${CURDIR}/tunnel.yaml | servers=10.1.0.10 | silence=5 s |
        """
        name = self._start(protocol, shared, {}, parameters)
        show_states(self._suite.recorder, protocol)
        return name

    @keyword(tags=["responder"])
    def stop_responder(self, *names: str, abandon: bool = False) -> SessionStatistics | None:
        """Stops responders, and returns the statistics of the last of them.

        | =Argument= | =Meaning= |
        | ``names`` | names of responders; all responders by default |
        | ``abandon`` | True: open connections are left open, as by a server without power |

        Open connections end as in `Stop Clients`, as those of a server whose program ends.
        `Get Session Statistics` still returns the statistics of the responders.

        | `Stop Responder` | backends |
        """
        return self._suite.connections.stop(names, Responder, abandon=abandon)

    def _start(
        self,
        protocol: str,
        shared: ResponderArguments,
        values: Mapping[str, Any],
        parameters: Mapping[str, Any] = MappingProxyType({}),
        answers_for: AddressRange | None = None,
    ) -> str:
        responder = Responder(
            name=shared.name,
            port=shared.port,
            protocol=protocol,
            parameters=values,
            servers=shared.servers,
            answers_for=answers_for,
            flows=shared.flows,
            vlan=shared.vlan,
        )
        arguments = [field.name for field in fields(ResponderArguments)]
        return self._suite.connections.start(with_parameters(responder, parameters, arguments))
