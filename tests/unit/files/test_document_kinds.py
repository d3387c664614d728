# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every kind of file that a user writes is read by one reader, and refused with file and line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest

from TesterLibrary.campaign.campaign_file import load_campaign
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files import paths
from TesterLibrary.files.calibration import read_calibration, store_calibration
from TesterLibrary.files.criteria import load_criteria
from TesterLibrary.files.document import Kind, Place, dotted, read_document
from TesterLibrary.files.evidence_limits import evidence_limits
from TesterLibrary.files.headers import load_headers
from TesterLibrary.files.job import load_job
from TesterLibrary.files.profile import load_profile
from TesterLibrary.measurement.calibration import CalibratedSize, Calibration
from TesterLibrary.protocols.loader import load_unchecked
from TesterLibrary.testbeds.load import load_testbed

RESOURCES = paths.data_root() / "resources"
CALIBRATION = Calibration(
    "lab", "p1 and p2", "2026-01-31T12:00:00+00:00", "engine 1", ("a", "b"), (CalibratedSize(64, 1, 1, 1),)
)
KINDS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "testbed": ("testbeds/two-nics.yaml", lambda path: load_testbed(str(path))),
    "job": ("jobs/web.yaml", lambda path: load_job(str(path))),
    "headers": ("headers/example.yaml", lambda path: load_headers(str(path))),
    "protocol": ("protocols/udp-echo.yaml", lambda path: load_unchecked(str(path))),
    "criteria": ("criteria/embedded/l2-bridge.yaml", load_criteria),
    "profile": ("criteria/profiles/quick.yaml", lambda path: load_profile(str(path))),
    "evidence": ("criteria/evidence.yaml", evidence_limits),
    "campaign": ("campaigns/nightly.yaml", load_campaign),
    "calibration": ("", read_calibration),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Callable[[Path], object]]:
    """A right file of each kind, and its reader."""
    shipped, read = KINDS[request.param]
    path = tmp_path / "mine.yaml"
    if shipped:
        path.write_text((RESOURCES / shipped).read_text(encoding="utf-8"), encoding="utf-8")
    else:
        store_calibration(CALIBRATION, path)
    read(path)
    return path, read


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ("wrong_key: 1", "wrong_key: there is no such key; allowed are {keys}"),
        ("{key}: 1", "{key}: given twice, in line"),
        ("}", "not YAML"),
    ],
)
def test_a_line_too_many_is_refused_by_its_number(
    kind: tuple[Path, Callable[[Path], object]], added: str, message: str
) -> None:
    path, read = kind
    text = path.read_text(encoding="utf-8").rstrip("\n")
    keys = re.findall(r"^(\w+):", text, re.M)
    path.write_text(f"{text}\n{added.replace('{key}', keys[0])}\n", encoding="utf-8")
    expected = f"{path}:{text.count(chr(10)) + 2}: {message.replace('{key}', keys[0])}"
    with pytest.raises(TesterLibraryError, match=re.escape(expected.partition("{keys}")[0])) as caught:
        read(path)
    if "{keys}" in expected:
        allowed = str(caught.value).rpartition("allowed are ")[2].split(", ")
        assert set(keys) <= set(allowed)


def test_a_value_that_is_missing_or_wrong_is_refused_by_its_line(
    kind: tuple[Path, Callable[[Path], object]],
) -> None:
    path, read = kind
    lines = path.read_text(encoding="utf-8").splitlines()
    number = next(index for index, line in enumerate(lines, 1) if re.match(r" *(version|name): ", line))
    key, _, _ = lines[number - 1].partition(":")
    lines[number - 1] = f"{key}: [1, 2]"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(TesterLibraryError) as caught:
        read(path)
    refused = rf"{re.escape(str(path))}:{number}: [\w.\[\]]*{key.strip()}: \[1, 2\] is not allowed; give \w+"
    assert re.match(refused, str(caught.value))


LISTS: list[tuple[str, str, Place]] = [
    ("testbed", "testbeds/two-nics.yaml", ("ports",)),
    ("job", "jobs/bursts.yaml", ("streams",)),
    ("job", "jobs/web.yaml", ("ports",)),
    ("job", "jobs/web.yaml", ("responders",)),
    ("job", "jobs/web.yaml", ("clients",)),
    ("headers", "headers/example.yaml", ("headers",)),
    ("headers", "headers/example.yaml", ("headers", 0, "fields")),
    ("protocol", "protocols/private-tunnel.yaml", ("definitions",)),
    ("protocol", "protocols/udp-echo.yaml", ("counters",)),
    ("protocol", "protocols/udp-echo.yaml", ("states",)),
    ("campaign", "campaigns/nightly.yaml", ("testbeds",)),
]


@pytest.mark.parametrize(("kind", "shipped", "place"), LISTS)
def test_a_name_twice_in_a_list_is_refused_with_both_lines(
    tmp_path: Path, kind: str, shipped: str, place: Place
) -> None:
    data = read_document(RESOURCES / shipped, Kind("any", TesterLibraryError)).data
    items = reduce(getitem, place, data)
    items.append(items[0])
    path = tmp_path / "mine.yaml"
    path.write_text(json.dumps(data, indent=0), encoding="utf-8")  # each value has a line of its own
    named = isinstance(items[0], dict)
    name = items[0]["name"] if named else items[0]
    first, *_, second = (
        number
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.rstrip(",") in (f'"{name}"', f'"name": "{name}"')
    )
    at, earlier = (dotted((*place, number, *(["name"] if named else []))) for number in (len(items) - 1, 0))
    expected = f"{path}:{second}: {at}: {name!r} is in line {first} already, as {earlier}; each needs its own"
    with pytest.raises(TesterLibraryError, match=f"^{re.escape(expected)}$"):
        KINDS[kind][1](path)


def test_nothing_else_reads_yaml() -> None:
    package = Path(paths.__file__).parents[1]
    readers = [
        path
        for path in package.rglob("*.py")
        if re.search(r"\byaml\.(safe_load|load|compose|parse|scan)", path.read_text(encoding="utf-8"))
    ]
    assert [path.relative_to(package).as_posix() for path in readers] == ["files/document.py"]
