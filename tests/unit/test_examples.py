# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every fenced block of every page is checked by what reads it; the words behind its fence say what that is.

| fence | check |
|---|---|
| `robotframework` | runs on the fake tester; where it needs another device than a bridge, as a dry run |
| `python` | runs on the fake tester |
| `python fleet` | runs on Ray: `tests/fleet/test_frames.py` |
| `yaml testbed`, `yaml campaign`, `yaml run` | the reader of that kind of file takes it |
| `yaml service` | the reader of services takes it, with stand-ins for the files that it names |
| `sh service` | runs against a service: `tests/unit/service/test_docs.py` |
| `yaml excerpt of FILE`, `proto excerpt of FILE` | FILE has it; `...` stands for what was left out |
| `yaml job`, `sh job`, `groovy job`, `cron job` | the commands in it exist; YAML is YAML |
| `console` | commands, options and targets exist |
| `text WHY` | nothing: it is output or a picture, and says which |
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from robot.api import ExecutionResult
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from TesterLibrary.campaign.campaign_file import load_campaign
from TesterLibrary.commands import main as cli
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.files.document import Kind, read_document
from TesterLibrary.files.job import load_job
from TesterLibrary.service.config import load_config
from TesterLibrary.testbeds.load import load_testbed

from .keywords.fake_library import library_on_fake

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
_BLOCK = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.M)
_BRIDGE = "embedded/l2-bridge"  # a device that the fake can stand for
_INDENTED = re.compile(r"^\n {4}(?![-*+ ]|\d+\.).*", re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    info: str  # behind the fence: `yaml testbed`
    text: str

    @property
    def language(self) -> str:
        """The first word behind the fence."""
        return self.info.partition(" ")[0]

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        yield Block(page, text.count("\n", 0, found.start()) + 1, found[1], found[2])


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def of(*languages: str) -> pytest.MarkDecorator:
    """Parametrizes a test with the blocks of these languages."""
    return pytest.mark.parametrize("block", [b for b in BLOCKS if b.language in languages], ids=str)


def check_console(text: str) -> None:
    """AssertionError for a command, an option or a target that there is not."""
    for line in text.replace("\\\n", " ").splitlines():
        program, *arguments = shlex.split(line, comments=True)
        _COMMANDS[program](arguments)


def check_job(block: Block) -> None:
    """AssertionError for a command of `tester` in a job that there is not, or a job without any."""
    if block.language == "yaml":
        assert isinstance(yaml.safe_load(block.text), dict)
    commands = re.findall(r"\btester [a-z][^];&|'\n]*", block.text)
    assert commands
    check_console("\n".join(commands))


def _tester(arguments: list[str]) -> None:
    try:
        cli._parser().parse_args(arguments)
    except SystemExit:
        raise AssertionError(f"tester {' '.join(arguments)} is refused") from None


def _make(targets: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)


def _testerd(arguments: list[str]) -> None:
    known = set(re.findall(r'\{"([\w-]+)", \w+_argument', (ROOT / "engine/src/options.cc").read_text()))
    given = {word[2:] for word in arguments if word.startswith("--")}
    assert given
    assert given <= known


def _robot(arguments: list[str]) -> None:
    assert arguments[-1].endswith(".robot")


def _of_the_system(arguments: list[str]) -> None:
    assert arguments


_COMMANDS: dict[str, Callable[[list[str]], None]] = {
    "tester": _tester,
    "make": _make,
    "testerd": _testerd,
    "robot": _robot,
    **dict.fromkeys((".", "export", "pip", "python3", "sysctl"), _of_the_system),
    "sudo": lambda arguments: _COMMANDS[Path(arguments[0]).name](arguments[1:]),
}


def is_part(part: Any, whole: Any) -> bool:
    """Whether all that is in one value is in the other: keys by their names, items in their order."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and is_part(part[key], whole[key]) for key in part
        )
    if isinstance(part, list):
        items: Iterator[Any] = iter(whole if isinstance(whole, list) else ())
        return all(any(is_part(item, other) for other in items) for item in part)
    return bool(part == whole)


def check_excerpt(block: Block, folder: Path) -> None:
    """AssertionError if the file that a block names has not what the block has."""
    source = ROOT / block.info.partition(" excerpt of ")[2]
    assert source.is_file()
    if block.language == "yaml":
        short = re.sub(r"^\s*\.\.\.\n|,? *\.\.\.(?=[\]}])", "", block.text, flags=re.M)
        (folder / "excerpt.yaml").write_text(short, encoding="utf-8")
        kind = Kind("protocol", TesterLibraryError)
        assert is_part(read_document(folder / "excerpt.yaml", kind).data, read_document(source, kind).data)
    else:
        lines = (line.strip() for line in block.text.splitlines())
        assert " ".join(lines) in " ".join(source.read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The outcome of each test in the examples of each page: PASS, or what is wrong with it."""
    suites = {page.stem: suite for page in PAGES if (suite := suite_of(page))}
    bridged = {name: text for name, text in suites.items() if _BRIDGE in text}
    others = {name: text for name, text in suites.items() if name not in bridged}
    return {
        **run(bridged, tmp_path_factory.mktemp("bridged")),
        **run(others, tmp_path_factory.mktemp("others"), "--dryrun"),
    }


def suite_of(page: Path) -> str:
    """All Robot examples of a page, one after the other: the first has the settings."""
    return "\n".join(block.text for block in blocks_of(page) if block.language == "robotframework")


def run(suites: dict[str, str], folder: Path, *options: str) -> dict[str, list[str]]:
    """The outcome of each test of suites on the fake tester."""
    for name, text in suites.items():
        (folder / f"{name}.robot").write_text(text, encoding="utf-8")
    frames = [Ether() / IP(src="10.0.0.1", dst="10.0.0.2") / UDP() / bytes(18)] * 10
    wrpcap(str(folder / "frames.pcap"), frames)
    command = [
        *(sys.executable, "-m", "robot", "--listener", str(Path(__file__).with_name("FakeTestbeds.py"))),
        *("--variable", f"CAPTURE:{folder / 'frames.pcap'}", "--log", "NONE", "--report", "NONE"),
        *("--console", "none", *options, str(folder)),
    ]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    result = ExecutionResult(folder / "output.xml")
    assert not list(result.errors), [message.message for message in result.errors]
    return {
        suite.source.stem: [test.status if test.passed else test.message for test in suite.all_tests]
        for suite in result.suite.suites
        if suite.source
    }


@of("robotframework")
def test_a_suite_passes(block: Block, outcomes: dict[str, list[str]]) -> None:
    assert set(outcomes[block.page.stem]) == {"PASS"}


@of("python")
def test_a_program_runs_on_the_fake(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if block.info == "python fleet":
        return
    library_on_fake(monkeypatch, tmp_path)
    exec(compile(block.text, str(block), "exec"), {})
    assert capsys.readouterr().out


@of("console")
def test_commands_exist(block: Block) -> None:
    check_console(block.text)


@of("sh", "groovy", "cron")
def test_commands_of_a_job_exist(block: Block) -> None:
    if block.info != "sh service":
        assert block.info == f"{block.language} job"
        check_job(block)


@of("yaml", "proto")
def test_a_file_is_one_that_its_reader_takes(block: Block, tmp_path: Path) -> None:
    if block.info == "yaml job":
        check_job(block)
    elif block.info == "yaml testbed":
        file = tmp_path / "testbed.yaml"
        file.write_text(block.text, encoding="utf-8")
        assert load_testbed(str(file)).ports
    elif block.info == "yaml campaign":
        (tmp_path / "campaign.yaml").write_text(block.text, encoding="utf-8")
        assert load_campaign(tmp_path / "campaign.yaml").suites
    elif block.info == "yaml run":
        (tmp_path / "job.yaml").write_text(block.text, encoding="utf-8")
        assert load_job(str(tmp_path / "job.yaml")).testbed
    elif block.info == "yaml service":
        (tmp_path / "lab.yaml").write_text(block.text, encoding="utf-8")
        for name in re.findall(r"\w+\.(?:pem|key)", block.text):
            (tmp_path / name).touch(mode=0o600)
        assert load_config(tmp_path / "lab.yaml").places
    else:
        check_excerpt(block, tmp_path)


@of("text")
def test_what_is_not_checked_says_why(block: Block) -> None:
    assert re.fullmatch(r"text (output|picture): \w.*", block.info)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_block_of_a_page_is_checked(page: Path) -> None:
    checked = {"robotframework", "python", "console", "yaml", "proto", "text", "sh", "groovy", "cron"}
    assert [str(block) for block in blocks_of(page) if block.language not in checked] == []
    outside = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    assert "```" not in outside
    assert _INDENTED.findall(outside) == []


@pytest.mark.parametrize(
    "wrong",
    [
        "Create Stram    north",
        "Create Stream    north    frame_size=12",
        "Create Stream    north    speed=1 Gbps",
    ],
)
def test_a_wrong_suite_is_found(wrong: str, tmp_path: Path) -> None:
    text = f"*** Settings ***\nLibrary    TesterLibrary    testbed={_BRIDGE}\nSuite Setup    Open Tester\n\n"
    text += f"*** Test Cases ***\nWrong\n    {wrong}\n"
    (outcome,) = run({"page": text}, tmp_path)["page"]
    assert outcome != "PASS"


@pytest.mark.parametrize(
    "wrong", ["tester pln bursts", "make cerify", "testerd --lisen x", "tester plan --x y"]
)
def test_a_wrong_command_is_found(wrong: str) -> None:
    with pytest.raises(AssertionError):
        check_console(wrong)


@pytest.mark.parametrize(
    ("info", "text"),
    [
        ("sh job", "tester certfy"),
        ("cron job", "0 2 * * * true"),
        ("yaml job", "script: [tester trend --hmtl x]"),
    ],
)
def test_a_wrong_job_is_found(info: str, text: str) -> None:
    with pytest.raises(AssertionError):
        check_job(Block(PAGES[0], 1, info, text))


@pytest.mark.parametrize(
    ("info", "text"),
    [
        ("yaml excerpt of resources/protocols/private-tunnel.yaml", "timers: [silent, loud]\n"),
        ("yaml excerpt of resources/protocols/private-tunnel.yaml", "variables: {session: 16, ...}\n"),
        ("proto excerpt of proto/tester/v1/counters.proto", "optional uint64 rx_wrong = 1;\n"),
    ],
)
def test_a_wrong_excerpt_is_found(info: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        check_excerpt(Block(PAGES[0], 1, info, text), tmp_path)
