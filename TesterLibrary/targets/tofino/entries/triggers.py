# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of triggers: what they wait for (p4/templates/replies.p4.j2), and what asks for their templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ....errors import PlanError
from ....planning.switch.chip import PORT_MASK
from ....planning.switch.match_action import row_key
from ....planning.switch.replies import header_key
from ....planning.switch.resources import QUEUES
from ....planning.switch.trigger import ReturnedFrame, SwitchTrigger, TemplateFrame
from ..session.program import Program
from ..session.switch import Asked, Reading, numbers_of
from .classifier import vlan_key
from .entry import Masked, TableEntry, Value

_ROWS = "ExternalIngress.reply_rows"
_REPLIES = "ExternalEgress.replies"
_LEFT = f"{_ROWS}.left.f1"
_EFSM = "InternalIngress.responder.efsm"


class TriggerQueues:
    """The queues that the protocols of a program leave, each for the template of one trigger."""

    def __init__(self, program: Program, taken: Sequence[int]) -> None:
        """`taken`: the queues of other jobs."""
        self._program, self._taken = program, taken
        self.given: list[int] = []

    def next(self, trigger: str) -> int:
        """A free queue, for a trigger with this name. PlanError if there is none."""
        compiled = set(self._program.queues.values())
        used = {*self._taken, *self.given}
        free = next((queue for queue in range(QUEUES) if queue not in compiled | used), None)
        if free is None:
            build = f"tester p4 build {self._program.profile} --protocol arp"
            raise PlanError(
                f"trigger {trigger!r}: queues of templates: {QUEUES} there, {len(compiled)} of protocols "
                f"that the program was built with, {len(used)} of triggers, so none is left; stop a trigger, "
                f"or build a program with fewer protocols: {build}"
            )
        self.given.append(free)
        return free


def waiting_entries(
    trigger: SwitchTrigger,
    action: str,
    data: Mapping[str, int],
    *,
    port: int,
    vlan: int | None,
    priority: int,
) -> Iterator[TableEntry]:
    """Entries for the packets that a trigger waits for at a device port.

    Args:
        trigger: The trigger for a switch.
        action: `ask` for its template, or `send_back`.
        data: What the action is given.
        port: The device port that its packets arrive by.
        vlan: VLAN of the packets; None: untagged packets.
        priority: Priority of the entries. No packet hits two of them.
    """
    common: dict[str, Value] = {
        "ingress_port": Masked(port, PORT_MASK),
        **vlan_key(vlan),
        "ipv4_valid": Masked(1, 1),
        header_key(trigger.header): Masked(1, 1),
    }
    for entry in trigger.waits:
        key = {row_key(one.key): Masked(one.value, one.mask) for one in entry}
        yield TableEntry(
            f"external.{_ROWS}.rows",
            {**common, **key, "$MATCH_PRIORITY": priority},
            f"{_ROWS}.{action}",
            data,
        )


def returning_entry(frame: ReturnedFrame, number: int) -> TableEntry:
    """The entry in egress that gives packets with the number of a reply the frame's addresses and fields."""
    return TableEntry(
        f"external.{_REPLIES}.numbers",
        {"number": number},
        f"{_REPLIES}.{frame.returning.name}",
        dict(frame.data),
    )


def asking_entry(frame: TemplateFrame, link: int, queue: int) -> TableEntry:
    """The entry by which packets of a link ask for the template of a trigger."""
    add_to_seq, add_to_ack = frame.add
    return TableEntry(
        f"internal.{_EFSM}.rows",
        {"link": Masked(link, 0xFF), "$MATCH_PRIORITY": 0},
        f"{_EFSM}.{frame.asking.name}",
        {"queue": queue, "add_to_seq": add_to_seq, "add_to_ack": add_to_ack},
    )


def left_asked(number: int) -> Asked:
    """The register to read, which has the packets by which a trigger is still to go off."""
    return Asked(f"external.{_ROWS}.left", {"$REGISTER_INDEX": number})


def untouched(most: int) -> Reading:
    """The reading of the register of a trigger that has not gone off."""
    return {_LEFT: most}


def matched(reading: Reading, most: int) -> int:
    """The packets by which a trigger went off. Each pipe has a register, and one has the trigger's port."""
    return sum(most - left for left in numbers_of(reading, _LEFT))
