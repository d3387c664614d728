# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the modifiers of tests (RFC 2544 §11)."""

from __future__ import annotations

from ipaddress import ip_address

from robot.api.deco import keyword

from ...errors import UnitError
from ...model.modifier import Modifier, Modifiers
from ...running.suite import Suite
from .._component import component


@component
class ModifierKeywords:
    """Conditions under which streams are measured."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["rfc2544", "streams"])
    def set_modifiers(
        self, *modifiers: Modifier, agent: str | None = None, community: str = "public"
    ) -> None:
        """Has the trials of the test, or of the suite, go on under conditions of RFC 2544 §11.

        | =Argument= | =Meaning= |
        | ``modifiers`` | ``broadcast``, ``management``, ``routing``, ``filters``; none of them, if left out |
        | ``agent`` | the IPv4 address of the device's SNMP agent; the gateway of the port, if left out |
        | ``community`` | the community of the SNMP query |

        Frames beside those of the test leave each port that sends: frames to all stations, 1 % of those of
        the test; an SNMP query for the uptime at the begin of each second; a RIP update of 25 routes to other
        networks at the begin of each trial, and every 30 s. They have their part of the load, and what
        becomes of them is not judged. Filters are loaded by the hook ``filters`` of the testbed, and taken
        out by its hook ``no_filters`` at the end of the test. Every result says under which conditions it
        was measured.

        `Find Maximum Burst` and `Measure System Recovery` refuse frames beside theirs.

        | `Set Modifiers` | broadcast | management |
        | `Find Throughput` | north |
        """
        try:
            address = None if agent is None else ip_address(agent)
        except ValueError:
            raise UnitError(f"agent: {agent!r} is no address; write one such as 192.0.2.1") from None
        self._suite.modify(Modifiers(tuple(dict.fromkeys(modifiers)), address, community))
