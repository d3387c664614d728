# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files import paths
from TesterLibrary.protocols.checker import check, load_protocol
from TesterLibrary.protocols.loader import load_unchecked

# The first line of a table is 11 where nothing else is given.
WIDE = "{bits: 128, aside: true}"
GOOD = """\
version: 1
name: mine
headers: Ether / IP / UDP
flow: [[IP.src, IP.dst]]
variables: {seen: 8}
timers: [idle]
counters: [packets]
states: [fresh, known]
steps: [more]
table:
  - {in: fresh, on: packet, when: {UDP.dport: 5}, do: [start: {idle: 1 s}, then: more], to: known}
  - {in: any, on: packet, do: [count: packets]}
  - {in: known, on: more, do: [add: {seen: 1}]}
  - {in: known, on: idle, to: fresh}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text)
    return path


def said(folder: Path, text: str) -> str:
    """The message with which this text is refused."""
    with pytest.raises(PlanError) as error:
        load_protocol(str(write(folder, text)))
    return str(error.value).replace(f"{folder}/", "")


@pytest.mark.parametrize("name", paths.names("protocols"))
def test_what_is_shipped_is_right(name: str) -> None:
    assert check(load_unchecked(name)) == []


@pytest.mark.parametrize(
    ("flow", "template", "missing"),
    [
        ("", "headers: Ether / IP / UDP", "IP.src and IP.dst are"),
        ("", "headers: Ether / IP / UDP, set: {IP.dst: IP.src}", "IP.src is"),
        ("flow: [[UDP.sport, UDP.dport]]", "headers: Ether / IP(src=198.18.0.1) / UDP", "IP.dst is"),
        ("flow: [[IP.src, IP.dst]]", "headers: Ether / IP / UDP", ""),
        ("", "headers: Ether / IP(src=198.18.0.1) / UDP, set: {IP.dst: IP.src}", ""),
        ("", "headers: Ether / UDP", ""),
    ],
)
def test_an_answer_without_addresses_goes_to_nobody(
    tmp_path: Path, flow: str, template: str, missing: str
) -> None:
    """Neither the flow nor the author says which they are."""
    text = f"""\
version: 1
name: mine
headers: Ether / IP / UDP
{flow}
states: [idle]
templates:
  answer: {{{template}}}
table:
  - {{in: idle, on: packet, do: [send: answer]}}
"""
    if not missing:
        load_protocol(str(write(tmp_path, text)))
        return
    assert said(tmp_path, text).startswith(
        f"mine.yaml:7: the template 'answer' goes to nobody: its {missing} neither of the flow nor set"
    )


def test_the_example_is_right(tmp_path: Path) -> None:
    protocol = load_protocol(str(write(tmp_path, GOOD)))
    assert protocol.state_bits == 8 + 8 + 32


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("to: known}", "to: konwn}", "11: there is no state 'konwn' (did you mean 'known'?)"),
        ("on: more", "on: mroe", "13: there is no event 'mroe' (did you mean 'more'?)"),
        ("UDP.dport: 5", "UDP.dprt: 5", "11: there is no field 'UDP.dprt' (did you mean"),
        ("UDP.dport: 5", "sen: 5", "11: there is no 'sen' (did"),
        ("UDP.dport: 5", "UDP.dport: 65536", "11: UDP.dport: 65536 does not fit 16 bits; give"),
        ("{seen: 1}", "{seen: 256}", "13: 256 does not fit 8 bits; give 0 to 255"),
        ("add: {seen: 1}", "add: {seem: 1}", "13: there is no variable 'seem' (did"),
        ("add: {seen: 1}", "send: answer", "13: there is no template 'answer'; there are none"),
        (
            "counters: [packets]",
            "counters: [packets]\nunread: {packets: x}",
            "1: unread: there is no failure 'packets'; there are none",
        ),
        *(
            (
                "counters: [packets]",
                f"counters: [packets]\nscanners:\n  head:\n    end: [{{text: x, {find}}}]",
                f"10: {message}",
            )
            for find, message in (
                ("add: {seem: 1}", "there is no variable 'seem' (did"),
                ("add: {seen: 256}", "seen: 256 does not fit 8 bits"),
                ("number: seem", "there is no variable 'seem' (did"),
                ("number: {to: seem, otherwise: {seen: 1}}", "there is no variable 'seem' (did"),
                ("number: {to: seen, otherwise: {seem: 1}}", "there is no variable 'seem' (did"),
                ("number: {to: seen}", "scanners.head.end: ["),
                ("number: {to: seen, base: 8, otherwise: {seen: 1}}", "scanners.head.end: ["),
            )
        ),
        ("count: packets", "count: packet", "12: there is no counter 'packet' (did you"),
        ("UDP.dport: 5", "UDP.dport: {set: S}", "11: 'UDP.dport' is no field of flags"),
        ("[[IP.src, IP.dst]]", "[[IP.src, IP.dts]]", "1: flow: there is no field 'IP.dts' (did you mean"),
        (
            "  - {in: any, on: packet, do: [count: packets]}\n",
            "  - {in: known, on: packet, do: [count: packets]}\n",
            "11: 'packet' comes in 'fresh', and no row without `when` says what else to do",
        ),
        (
            "  - {in: known, on: idle, to: fresh}\n",
            "  - {in: known, on: packet, when: {seen: 3}, to: fresh}\n",
            "11: 'idle' may run in 'known', and no row says what to do then",
        ),
        (
            "start: {idle: 1 s}, ",
            "",
            "14: the timer 'idle' is never started, so this never happens",
        ),
        ("then: more", "count: packets", "13: the step 'more' is never taken, so this never happens"),
        (
            "states: [fresh, known]",
            "states: [fresh, known, lost]",
            "1: the state 'lost' is never reached; lead to it with a row's `to`, or leave it out",
        ),
        (
            "  - {in: known, on: more",
            "  - {in: fresh, on: packet, when: {UDP.sport: 7}}\n  - {in: known, on: more",
            "13: this row for 'packet' in 'fresh' overlaps with line 11: UDP.dport = 5, UDP.sport",
        ),
        (
            "  - {in: any, on: packet",
            "  - {in: fresh, on: packet, when: {UDP.dport: 5, IP.ttl: 1}}\n  - {in: any, on: packet",
            "12: this row for 'packet' in 'fresh' is never reached: line 11 (UDP.dport is 5) ",
        ),
        (
            "UDP.dport: 5",
            "UDP.dport: {below: 5, above: 4}",
            "11: nothing can match this row: UDP.dport below 5 and UDP.dport above 4",
        ),
        ("do: [add: {seen: 1}]", "do: [then: more]", "13: `then` leads back to itself"),
        (
            "on: idle, to: fresh}",
            "on: idle, when: {UDP.dport: 1}, to: fresh}",
            "14: 'UDP.dport' is of the packet in hand, and here there may be none",
        ),
        (
            "variables: {seen: 8}",
            "variables: {seen: 8, v0: 128, v1: 128, v2: 128, v3: 128}",
            "5: a flow takes 560 bits, 144 more than the 416 of its cache line: state 8, seen 8, v0 128",
        ),
        (
            "variables: {seen: 8}",
            f"variables: {{seen: {WIDE}, a: {WIDE}, b: {WIDE}, c: {WIDE}, d: {{bits: 1, aside: true}}}}",
            "5: a flow keeps 513 bits aside, 1 more than 512: seen 128, a 128, b 128, c 128, d 1; make",
        ),
        ("UDP.dport: 5", "UDP.dport: 5 +", "11: table[0].when.UDP.dport: '5 +' is no expression"),
        ("headers: Ether", "headers: Ethr", "1: there is no header 'Ethr' (did you mean 'Ether'?)"),
        ("states: [", "failures: [packts]\nstates: [", "1: failures: there is no counter 'packts' (did you"),
        ("start: {idle: 1 s}", "begin: {idle: 1 s}", "11: table[0].do[0].begin: there is no such key"),
        ("version: 1", "version: 2", "1: version: 2 is not allowed; give 1"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_their_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    assert f"mine.yaml:{message}" in said(tmp_path, GOOD.replace(old, new, 1))


def test_a_client_that_takes_no_answer_is_named(tmp_path: Path) -> None:
    shipped = Path(paths.resource("protocols", "dns-client")).read_text()
    own = tmp_path / "own.yaml"
    own.write_text(shipped.replace("headers: Ether / IP / UDP /", "headers: Ether / IP / UDP(dport=53) /"))
    with pytest.raises(
        PlanError, match=r"own\.yaml:\d+: no answer reaches a client: .* UDP\.dport 53 are taken"
    ):
        load_protocol(str(own))


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("to: known", "to: konwn").replace("on: more", "on: mroe")
    assert len(said(tmp_path, text).splitlines()) == 2


def test_a_special_case_comes_before_the_general_one(tmp_path: Path) -> None:
    special = "  - {in: fresh, on: packet, when: {UDP.dport: 5, IP.ttl: 1}}\n"
    load_protocol(str(write(tmp_path, GOOD.replace("  - {in: fresh", special + "  - {in: fresh", 1))))


def test_tables_over_one_another_in_a_circle_are_refused(tmp_path: Path) -> None:
    text = "version: 1\nname: mine\nover: mine.yaml\nstates: [a]\ntable:\n  - {in: a, on: opened}\n"
    assert "goes round in a circle" in said(tmp_path, text)
