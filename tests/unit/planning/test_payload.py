# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.payload import Payload, PayloadKind
from TesterLibrary.planning.payload import filling, prbs31

from .bench import compiled, stream


def test_prbs31_is_the_recurrence_of_its_polynomial() -> None:
    bits = [int(bit) for octet in prbs31(4000) for bit in f"{octet:08b}"]
    assert bits[:31] == [1] * 31
    assert all(bits[n] == bits[n - 31] ^ bits[n - 28] for n in range(31, len(bits)))
    assert 0.45 < sum(bits) / len(bits) < 0.55


@pytest.mark.parametrize(
    ("payload", "octets"),
    [
        (Payload(), bytes(range(5))),
        (Payload(PayloadKind.ZEROS), bytes(5)),
        (Payload(PayloadKind.TEXT, b"ab"), b"ababa"),
        (Payload(PayloadKind.FILE, b"\xff\x00abc"), b"\xff\x00abc"),
        (Payload(PayloadKind.PRBS31), b"\xff\xff\xff\xfe\x00"),
    ],
)
def test_kinds(payload: Payload, octets: bytes) -> None:
    assert filling(payload, 5, "seed") == octets


def test_random_follows_the_seed() -> None:
    payload = Payload(PayloadKind.RANDOM)
    first = filling(payload, 100, "1 1")
    assert first == filling(payload, 100, "1 1")
    assert first != filling(payload, 100, "1 2")
    assert len(set(first)) > 50


@pytest.mark.parametrize("data", [b"", b"x" * 7])
def test_a_text_that_does_not_fit_is_refused(data: bytes) -> None:
    with pytest.raises(PlanError) as error:
        compiled(stream(frame_size=68, payload=Payload(PayloadKind.TEXT, data)))
    assert str(error.value) == (
        f"stream 'north': a payload of {len(data)} bytes (text); the frame has room for 1 to 6; "
        "what is shorter is repeated"
    )


def test_it_lies_between_headers_and_signature() -> None:
    (planned,) = compiled(stream(frame_size=68, payload=Payload(PayloadKind.TEXT, b"hello!"))).streams
    assert planned.frame[42:-16] == b"hello!"
