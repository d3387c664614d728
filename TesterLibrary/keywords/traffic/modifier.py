# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the modifiers of tests (RFC 2544 §11)."""

from __future__ import annotations

from ipaddress import ip_address

from robot.api.deco import keyword

from ...errors import UnitError
from ...model.modifier import Modifier, Modifiers
from ...running.procedures.modifiers import modify
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
        """Runs the trials of the test, or of the suite, under conditions of RFC 2544 §11.

        | ``modifiers`` | ``broadcast``, ``management``, ``routing``, ``filters``; none by default |
        | ``agent`` | the IPv4 address of the device's SNMP agent; the gateway of the port by default |
        | ``community`` | the community of the SNMP query |

        Each port that sends also sends: broadcast frames, 1 % of the frames of the test; an SNMP query for
        the uptime at the start of each second; a RIP update of 25 routes to other networks at the start of
        each trial, and every 30 s. These frames take their part of the load and are not judged. The hook
        ``filters`` of the testbed loads filters into the device, and its hook ``no_filters`` removes them at
        the end of the test. Every result names the conditions under which it was measured.

        `Find Maximum Burst` and `Measure System Recovery` refuse other frames beside their own.

        | `Set Modifiers` | broadcast | management |
        | `Find Throughput` | north |
        """
        try:
            address = None if agent is None else ip_address(agent)
        except ValueError:
            raise UnitError(f"agent: {agent!r} is no address; write an address such as 192.0.2.1") from None
        modify(self._suite, Modifiers(tuple(dict.fromkeys(modifiers)), address, community))
