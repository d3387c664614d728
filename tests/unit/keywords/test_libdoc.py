# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

"""Libdoc, and so an editor, shows every type with its documentation; loading the library touches nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from robot.libdocpkg import LibraryDocumentation

from TesterLibrary.keywords import CONVERTERS

_LOAD = """
import json, sys
touched = []
def watch(event, args):
    if event in ("subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "socket.connect", "socket.bind"):
        touched.append(f"{event} {args!r}")
    if event == "open" and str(args[0]).startswith(("/dev/", "/sys/class/net", "/proc/net")):
        if str(args[0]) not in ("/dev/null", "/dev/urandom"):
            touched.append(f"open {args[0]}")
sys.addaudithook(watch)
from TesterLibrary import TesterLibrary
TesterLibrary()
scapy = sorted(name for name in sys.modules if name.startswith("scapy"))
print(json.dumps([touched, scapy]))
"""


@pytest.fixture(scope="module")
def library() -> Any:
    return LibraryDocumentation("TesterLibrary")


@pytest.fixture(scope="module")
def types(library: Any) -> Mapping[str, Any]:
    return {doc.name: doc for doc in library.type_docs}


def test_verbs_are_those_of_the_table(library: Any) -> None:
    rows = re.findall(r"^\| ([A-Z][A-Za-z, ]*) \| [a-z]", library.doc, re.MULTILINE)
    verbs = {verb for row in rows for verb in row.split(", ")}
    strange = {keyword.name for keyword in library.keywords if not keyword.name.startswith(tuple(verbs))}
    assert verbs
    assert not strange


def test_acronyms_keep_their_case(library: Any) -> None:
    wrong = r"\b(Http|Tcp|Udp|Arp|Syn|Dns|Mac|Vlan)\b"
    assert not [keyword.name for keyword in library.keywords if re.search(wrong, keyword.name)]


def test_arguments_have_one_set_of_names(library: Any) -> None:
    """One thing is named `name`, several are `streams`; an argument that is left out is None."""
    for keyword in library.keywords:
        names = {argument.name for argument in keyword.args}
        assert not names & {"stream", "handles", "operator", "expected"}, keyword.name
        assert not [argument.name for argument in keyword.args if argument.default == ""], keyword.name


def test_tables_of_arguments_are_phrases_that_can_be_read_alone(library: Any) -> None:
    for keyword in library.keywords:
        for name, text in re.findall(r"^\| ``(\w+)`` \| (.*) \|$", keyword.doc, re.MULTILINE):
            fragment = re.match(r"(of|that|for which|in which|from|at which|to keep|then|and) ", text)
            assert not fragment, f"{keyword.name}: {name}: {text}"


def test_units_say_what_they_accept(types: Mapping[str, Any]) -> None:
    assert types["Rate"].accepts == ["string", "integer", "float"]
    assert types["HeaderStack"].accepts == ["string"]
    assert all(types[kind.__name__].doc for kind in CONVERTERS if kind.__name__ in types)


def test_results_have_their_attributes_documented(types: Mapping[str, Any]) -> None:
    assert "| ``lost`` | Frames sent and not received on the expected port" in types["Trial"].doc
    assert "| ``limited_by`` |" in types["ThroughputResult"].doc
    for kind in CONVERTERS:
        if kind.__name__.endswith(("Result", "Trial", "Verdict")) and kind.__name__ in types:
            assert "| =Attribute= | =Meaning= |\n| ``" in types[kind.__name__].doc


def test_loading_touches_no_device_and_no_process(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", _LOAD],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=True,
        capture_output=True,
        text=True,
    )
    touched, scapy = json.loads(said.stdout)
    assert touched == []
    assert scapy == []  # it is needed, and takes its time, where frames are planned
