# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads the sentence of a diagnosis as a person does: which frames it says are lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Frame = Mapping[str, object]  # "size", "from", "stream", and each field by name

_CONTENT = re.compile(r"Loses each frame(?P<terms>( (from|of|with) .+)?)")
_TERM = re.compile(
    r" (?:from (?P<tx>\w+) to \w+"
    r"|of stream (?P<stream>\w+)"
    r"|of (?P<sizes>[\d,]+(?:, [\d,]+)*)(?: to (?P<last>[\d,]+))? bytes"
    r"(?P<more> or more \(longest sent: [\d,]+\))?"
    r"|with (?P<name>frame size|[\w.]+) (?P<rest>.+?))(?= from | of | with |$)"
)


@dataclass(frozen=True)
class Said:
    """One cause of a sentence."""

    kind: str  # content, each, first, above or burst
    holds: Callable[[Frame], bool] | None = None  # of a content
    number: float = 0
    other: float = 0


def read(sentence: str) -> list[Said]:
    """The causes of a sentence. AssertionError for a text that a person could not read either."""
    return [_cause(part) for part in sentence.split("; ") if part.startswith("Loses")]


def _cause(text: str) -> Said:
    if found := re.fullmatch(r"Loses each ([\d,]+)(st|nd|rd|th) frame", text):
        return Said("each", number=_number(found[1]))
    if found := re.fullmatch(r"Loses the first (?:([\d,]+) frames|frame) after a pause", text):
        return Said("first", number=_number(found[1] or "1"))
    if found := re.fullmatch(r"Loses frames above a rate between ([\d,]+) and ([\d,]+) frames/s", text):
        return Said("above", number=_number(found[1]), other=_number(found[2]))
    if found := re.fullmatch(r"Loses frames of bursts of more than ([\d,]+) frames back to back", text):
        return Said("burst", number=_number(found[1]))
    found = _CONTENT.fullmatch(text)
    assert found, text
    terms = [*_TERM.finditer(found["terms"])]
    assert "".join(term[0] for term in terms) == found["terms"], text
    tests = [_test(term) for term in terms]
    return Said("content", lambda frame: all(test(frame) for test in tests))


def _test(term: re.Match[str]) -> Callable[[Frame], bool]:
    if term["tx"]:
        return lambda frame: frame["from"] == term["tx"]
    if term["stream"]:
        return lambda frame: frame["stream"] == term["stream"]
    if term["sizes"]:
        return _values("size", term["sizes"], term["last"], bool(term["more"]))
    name = "size" if term["name"] == "frame size" else term["name"]
    rest = term["rest"]
    if found := re.fullmatch(r"& (0x[0-9a-f]+) = (0x[0-9a-f]+)", rest):
        mask, bits = int(found[1], 16), int(found[2], 16)
        return lambda frame: int(str(frame[name])) & mask == bits
    if found := re.fullmatch(r"(\d+) modulo (\d+)", rest):
        return lambda frame: int(str(frame[name])) % int(found[2]) == int(found[1])
    found = re.fullmatch(r"([\d, ]+?)(?: to (\d+))?( or more)?", rest)
    assert found, rest
    return _values(name, found[1], found[2], bool(found[3]))


def _values(name: str, values: str, last: str | None, more: bool) -> Callable[[Frame], bool]:
    numbers = [_number(value) for value in values.split(", ")]
    highest = float("inf") if more else _number(last) if last else None
    if highest is None:
        return lambda frame: frame[name] in numbers
    return lambda frame: numbers[0] <= int(str(frame[name])) <= highest


def _number(text: str) -> int:
    return int(text.replace(",", ""))
