# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The client of DNS: an address is of the name and the class that were asked for, or the answer is wrong."""

from __future__ import annotations

import pytest
from scapy.layers.dns import DNS
from scapy.layers.inet import IP, UDP
from scapy.packet import Raw

from .dialogue import LINK, OURS, PEER, Dialogue

pytestmark = pytest.mark.usefixtures("machine")

ADDRESS = bytes([192, 0, 2, 1])
OTHER_ADDRESS = bytes([192, 0, 2, 2])
ASKED = b"\xc0\x0c"  # the name of the question, as a pointer
NAME = b"\3www\7example\3com\0"
A, CNAME, RRSIG, IN, CHAOS = 1, 5, 46, 1, 3


def record(owner: bytes, value: bytes, *, kind: int = A, of_class: int = IN) -> bytes:
    head = kind.to_bytes(2, "big") + of_class.to_bytes(2, "big") + (60).to_bytes(4, "big")
    return owner + head + len(value).to_bytes(2, "big") + value


def outcome(*answers: bytes, others: tuple[bytes, ...] = (), answer: str = "0.0.0.0") -> list[str]:
    """The counters of the client after a response with these records, beside that of the attempt."""
    client = Dialogue("dns-client", answer=answer)
    (question,) = client.opens(UDP_sport=5353, UDP_dport=53)
    asked = bytes(question[UDP].payload)
    counts = b"\0\1" + len(answers).to_bytes(2, "big") + len(others).to_bytes(2, "big") + b"\0\0"
    response = asked[:2] + b"\x81\x80" + counts + asked[12:] + b"".join(answers + others)
    client.hears(LINK / IP(src=PEER, dst=OURS) / UDP(sport=53, dport=5353) / Raw(response))
    names = ("answered", "refused", "mismatched", "wrong_answer", "malformed", "truncated")
    return [name for name in names for _ in range(client.count(name))]


RIGHT = {
    "the name of the question by a pointer": [record(ASKED, ADDRESS)],
    "the name once more": [record(NAME, ADDRESS)],
    "in another letter case": [record(NAME.upper(), ADDRESS)],
    "its first label, and the rest by a pointer": [record(b"\3www\xc0\x10", ADDRESS)],
    "two addresses": [record(ASKED, OTHER_ADDRESS), record(ASKED, ADDRESS)],
    "an alias": [record(ASKED, b"\1a\xc0\x10", kind=CNAME), record(b"\1a\xc0\x10", ADDRESS)],
    "an alias whose name is a pointer": [
        record(ASKED, b"\1a\xc0\x10", kind=CNAME),
        # its name is the value of the first record: 12 + 21 + 2 + 10 bytes
        record(b"\xc0\x2d", ADDRESS),
    ],
    "two aliases": [
        record(ASKED, b"\1a\xc0\x10", kind=CNAME),
        record(b"\1a\xc0\x10", b"\1b\3net\0", kind=CNAME),
        record(b"\1B\3net\0", ADDRESS),
    ],
    "a signature beside it": [record(ASKED, ADDRESS), record(ASKED, b"signature", kind=RRSIG)],
}

WRONG = {
    "another name": [record(b"\4evil\0", ADDRESS)],
    "another name behind the right one": [record(ASKED, ADDRESS), record(b"\4evil\0", ADDRESS)],
    "a name that goes on": [record(b"\3www\7example\3com\2au\0", ADDRESS)],
    "a name that ends before": [record(b"\xc0\x10", ADDRESS)],
    "labels that are cut elsewhere": [record(b"\4wwwe\6xample\3com\0", ADDRESS)],
    "another class": [record(ASKED, ADDRESS, of_class=CHAOS)],
    "an alias that leads elsewhere": [
        record(ASKED, b"\1a\xc0\x10", kind=CNAME),
        record(b"\1b\xc0\x10", ADDRESS),
    ],
    "the name asked for, which is an alias": [
        record(ASKED, b"\1a\xc0\x10", kind=CNAME),
        record(ASKED, ADDRESS),
    ],
    "an alias of another name": [
        record(b"\1b\xc0\x10", b"\1a\xc0\x10", kind=CNAME),
        record(b"\1a\xc0\x10", ADDRESS),
    ],
    "an address of another length": [record(ASKED, ADDRESS + b"\0")],
}

MALFORMED = {
    "a pointer forwards": [record(b"\xc0\x40", ADDRESS)],
    "a pointer to itself": [record(b"\xc0\x21", ADDRESS)],
    "a pointer into the header": [record(b"\xc0\x02", ADDRESS)],
    "a label of a kind that is not defined": [record(b"\x41" + b"a" * 65 + b"\0", ADDRESS)],
    "a name of more than 255 bytes": [record((b"\x3f" + b"a" * 63) * 4 + b"\0", ADDRESS)],
    "a name that is cut": [b"\3www\7exa"],
    "an alias that is shorter than its record": [
        record(ASKED, b"\1a\0\0", kind=CNAME),
        record(b"\1a\0", ADDRESS),
    ],
    "an alias that is longer than its record": [record(ASKED, b"\1", kind=CNAME), record(b"\1a\0", ADDRESS)],
}


@pytest.mark.parametrize("answers", RIGHT.values(), ids=RIGHT)
@pytest.mark.parametrize("answer", ["0.0.0.0", "192.0.2.1"])
def test_an_address_of_the_name_is_an_answer(answers: list[bytes], answer: str) -> None:
    if len(answers) == 2 and answers[0] == record(ASKED, OTHER_ADDRESS) and answer != "0.0.0.0":
        pytest.skip("one of its addresses is another one")
    assert outcome(*answers, answer=answer) == ["answered"]


@pytest.mark.parametrize("answers", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("answer", ["0.0.0.0", "192.0.2.1"])
def test_an_address_of_another_name_or_class_is_a_wrong_answer(answers: list[bytes], answer: str) -> None:
    assert outcome(*answers, answer=answer) == ["wrong_answer"]


@pytest.mark.parametrize("answers", MALFORMED.values(), ids=MALFORMED)
def test_a_name_without_an_end_is_malformed(answers: list[bytes]) -> None:
    assert outcome(*answers) == ["malformed"]


@pytest.mark.parametrize(("answer", "name"), [("0.0.0.0", "answered"), ("192.0.2.1", "wrong_answer")])
@pytest.mark.parametrize("kind", [CNAME, 16])
def test_without_an_address_only_an_address_that_the_author_gives_is_missing(
    kind: int, answer: str, name: str
) -> None:
    assert outcome(record(ASKED, b"\1a\xc0\x10", kind=kind), answer=answer) == [name]


def test_names_behind_the_answer_section_are_those_of_name_servers() -> None:
    others = (record(b"\2ns\7example\3com\0", OTHER_ADDRESS),)
    assert outcome(record(ASKED, ADDRESS), others=others, answer="192.0.2.1") == ["answered"]
    assert outcome(record(ASKED, OTHER_ADDRESS), answer="192.0.2.1") == ["wrong_answer"]


def test_the_client_asks_for_the_name_of_these_answers() -> None:
    client = Dialogue("dns-client")
    (question,) = client.opens(UDP_sport=5353, UDP_dport=53)
    assert question[DNS].qd[0].qname == b"www.example.com."
