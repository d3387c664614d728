# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that open connections from a port."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from robot.api.deco import keyword

from ..measurement.sessions import SessionStatistics
from ..model.endpoints import Endpoints, PortRange
from ..model.quantity import Frequency, Octets
from ..model.responder import Clients, Reopen
from ..model.units import Duration
from ..session import Session
from ._component import component

ONE_MEGABYTE = Octets(10**6)
NO_TIME = Duration(0)
_HTTP = PortRange(80)


@component
class ClientSide:
    """Clients run until they are stopped."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["clients"])
    def start_http_clients(
        self,
        name: str,
        target: Endpoints,
        port: str = "p1",
        connections: int = 1,
        flow_size: Octets = ONE_MEGABYTE,
        requests: int = 1,
        rate: Frequency | None = None,
        sources: Endpoints | None = None,
        reopen: Reopen = Reopen.ENDED_WELL,
        total: int | None = None,
        linger: Duration = NO_TIME,
        vlan: int | None = None,
        **parameters: Any,
    ) -> str:
        """Opens HTTP/1.1 connections and keeps up their number, until `Stop Clients`. Returns the name.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call them |
        | ``target`` | address and port of the service, ``192.0.2.10:80``; port 80, if it has none |
        | ``port`` | of the tester |
        | ``connections`` | open at once, at most |
        | ``flow_size`` | that each request asks for: ``GET /1000000`` |
        | ``requests`` | on a connection, one after the other, before it is closed |
        | ``rate`` | of openings, ``1000/s``; as fast as the tester can, if left out |
        | ``sources`` | addresses and ports of the clients; the port's own address, and ports from 1024 |
        | ``reopen`` | which connections make room for another one: ``ended-well``, ``always``, ``never`` |
        | ``total`` | connections in all; no limit, if left out |
        | ``linger`` | how long a closed connection is kept (TIME-WAIT) and counts as open |
        | ``vlan`` | of a tag that all frames have |
        | ``parameters`` | of the tables http-client and tcp, such as ``rto=50 ms`` |

        A connection that ends well is opened again, one that does not is not (norma §8), so that a device
        which fails is not flooded. Through a server's link of its own the tester's `Start HTTP Responder`
        answers.

        | `Start HTTP Clients` | users | 192.0.2.10:80 | connections=4000 | flow_size=1 MB | rate=1000/s |
        """
        given = {"size": flow_size.count, "requests": requests, "linger": linger}
        return self._session.tester.ends.start(
            Clients(
                name=name,
                port=port,
                protocol="http-client",
                target=_with_port(target),
                sources=sources,
                connections=connections,
                rate=rate,
                reopen=reopen,
                total=total,
                vlan=vlan,
                parameters=given | parameters,
            )
        )

    @keyword(tags=["clients"])
    def start_tcp_clients(
        self,
        name: str,
        target: Endpoints,
        port: str = "p1",
        connections: int = 1,
        flow_size: Octets = ONE_MEGABYTE,
        hold: Duration = NO_TIME,
        rate: Frequency | None = None,
        sources: Endpoints | None = None,
        reopen: Reopen = Reopen.ENDED_WELL,
        total: int | None = None,
        linger: Duration = NO_TIME,
        vlan: int | None = None,
        **parameters: Any,
    ) -> str:
        """Opens TCP connections, sends on each and closes it, until `Stop Clients`. Returns the name.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call them |
        | ``target`` | address and port of the service, ``192.0.2.10:5001`` |
        | ``port`` | of the tester |
        | ``connections`` | open at once, at most |
        | ``flow_size`` | that each connection sends; 0 to open and close it only |
        | ``hold`` | how long a connection stays open after that |
        | ``rate`` | of openings, ``1000/s``; as fast as the tester can, if left out |
        | ``sources`` | addresses and ports of the clients; the port's own address, and ports from 1024 |
        | ``reopen`` | which connections make room for another one: ``ended-well``, ``always``, ``never`` |
        | ``total`` | connections in all; no limit, if left out |
        | ``linger`` | how long a closed connection is kept (TIME-WAIT) and counts as open |
        | ``vlan`` | of a tag that all frames have |
        | ``parameters`` | of the tables tcp-client and tcp |

        | `Start TCP Clients` | users | 192.0.2.10:5001 | connections=100 | flow_size=0 | rate=1000/s |
        """
        given = {"size": flow_size.count, "hold": hold, "linger": linger}
        return self._session.tester.ends.start(
            Clients(
                name=name,
                port=port,
                protocol="tcp-client",
                target=target,
                sources=sources,
                connections=connections,
                rate=rate,
                reopen=reopen,
                total=total,
                vlan=vlan,
                parameters=given | parameters,
            )
        )

    @keyword(tags=["clients"])
    def start_syn_flood(
        self,
        name: str,
        target: Endpoints,
        port: str = "p1",
        rate: Frequency | None = None,
        sources: Endpoints | None = None,
        total: int | None = None,
        resets: bool = False,
        vlan: int | None = None,
    ) -> str:
        """Sends SYNs that nobody follows up, until `Stop Clients`. Returns the name.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call it |
        | ``target`` | address and port of the service, ``192.0.2.10:80`` |
        | ``port`` | of the tester |
        | ``rate`` | of SYNs, ``100 k/s``; as fast as the tester can, if left out |
        | ``sources`` | addresses and ports that the SYNs come from; the port's own address |
        | ``total`` | SYNs in all; no limit, if left out |
        | ``resets`` | whether an answer is reset |
        | ``vlan`` | of a tag that all frames have |

        Its statistics count ``attempted``, ``answered`` and ``refused``.

        | `Start SYN Flood` | flood | 192.0.2.10:80 | rate=100 k/s | sources=198.18.2.0/24 |
        """
        return self._session.tester.ends.start(
            Clients(
                name=name,
                port=port,
                protocol="syn-flood",
                target=target,
                sources=sources,
                rate=rate,
                total=total,
                vlan=vlan,
                parameters={"resets": int(resets)},
            )
        )

    @keyword(tags=["clients"])
    def start_protocol_clients(
        self,
        name: str,
        protocol: str,
        target: Endpoints,
        port: str = "p1",
        connections: int = 1,
        rate: Frequency | None = None,
        sources: Endpoints | None = None,
        reopen: Reopen = Reopen.ENDED_WELL,
        total: int | None = None,
        vlan: int | None = None,
        **parameters: Any,
    ) -> str:
        """Opens flows of a protocol of your own, until `Stop Clients`. Returns the name.

        | =Argument= | =Meaning= |
        | ``name`` | what the other keywords call them |
        | ``protocol`` | a file, or one that is shipped; docs/protocols.md explains |
        | ``target`` | addresses and ports that flows are opened to |
        | ``port`` | of the tester |
        | ``connections`` | flows at once, at most |
        | ``rate`` | of openings, ``1000/s``; as fast as the tester can, if left out |
        | ``sources`` | addresses and ports of the clients; the port's own address, and ports from 1024 |
        | ``reopen`` | which flows make room for another one: ``ended-well``, ``always``, ``never`` |
        | ``total`` | flows in all; no limit, if left out |
        | ``vlan`` | of a tag that all frames have |
        | ``parameters`` | of its tables, by name: numbers, addresses, times |

        | `Start Protocol Clients` | tunnels | ${CURDIR}/client.yaml | 10.1.0.10:7000 | connections=10 |
        """
        return self._session.tester.ends.start(
            Clients(
                name=name,
                port=port,
                protocol=protocol,
                target=target,
                sources=sources,
                connections=connections,
                rate=rate,
                reopen=reopen,
                total=total,
                vlan=vlan,
                parameters=parameters,
            )
        )

    @keyword(tags=["clients"])
    def stop_clients(self, *names: str) -> SessionStatistics | None:
        """Stops clients where they are, and returns what the last ones of them did.

        | =Argument= | =Meaning= |
        | ``names`` | of clients; all, if none is given |

        Connections that are open are left as they are: nothing more is sent or answered. `Get Session
        Statistics` goes on telling what they did.

        | `Stop Clients` | users |
        """
        return self._session.tester.ends.stop(names, Clients)


def _with_port(target: Endpoints) -> Endpoints:
    return target if target.ports else replace(target, ports=_HTTP)
