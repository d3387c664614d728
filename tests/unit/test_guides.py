# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages of documentation name files, pages and sections that are there; for examples see test_examples.py."""

from __future__ import annotations

import re
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FILE = re.compile(r"`((?:TesterLibrary|engine|p4|proto|resources|suites|tests|tools)/[\w./-]*\.\w+)`")
_LINK = re.compile(r"\]\((?!https?://)([^)#]*)(?:#([^)]*))?\)")


def anchors(page: Path) -> set[str]:
    """The anchors that Git hosts make of the titles of a page."""
    titles = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = _FILE.findall(text) if "adr" not in page.parts else []  # a decision is about its time
    # A word in capitals stands for any.
    missing = [name for name in named if not any(ROOT.glob(re.sub(r"\b[A-Z]{3,}\b", "*", name)))]
    for target, section in _LINK.findall(text):
        there = page.parent / target if target else page
        if not there.exists() or (section and section not in anchors(there)):
            missing.append(f"{target}#{section}")
    assert not missing


def test_each_embedded_testbed_is_in_the_table_of_testbeds() -> None:
    text = (ROOT / "docs/testbeds.md").read_text(encoding="utf-8")
    rows = [row.split("|")[1] for row in re.findall(r"^\| `embedded/.*$", text, re.M)]
    shipped = {path.stem for path in (ROOT / "resources/testbeds/embedded").glob("*.yaml")}
    assert set(re.findall(r"`embedded/([\w-]+)`", "".join(rows))) == shipped


@pytest.mark.parametrize("way", ["From `Set Burst Pattern", "From a lost frame"])
def test_a_way_through_the_code_is_short_and_has_no_gap(way: str) -> None:
    """At most 12 files of Python; each imports, or is imported by, another one of the way."""
    text = (ROOT / "docs/guides/developer.md").read_text(encoding="utf-8").partition(f"## {way}")[2]
    rows = re.findall(r"^\| `.*$", text.partition("\n## ")[0].rpartition("\n| ")[0], re.M)
    files = [
        name for row in rows for name in re.findall(r"`(TesterLibrary/[\w/]+)\.py`", row.split(" | ")[0])
    ]
    assert 8 <= len(files) == len(set(files)) <= 12
    graph = grimp.build_graph("TesterLibrary")
    modules = {name.replace("/", ".") for name in files}
    for module in modules:
        tied = graph.find_modules_directly_imported_by(module) | graph.find_modules_that_directly_import(
            module
        )
        assert tied & modules - {module}, module


def test_the_picture_of_the_house_shows_every_room() -> None:
    """The developer's picture has them in the order in which import-linter holds them to be."""
    house = [path for path in (ROOT / "TesterLibrary").iterdir() if not path.name.startswith(("_", "."))]
    rooms = {f"{path.name}/" for path in house if path.is_dir()}
    files = {path.name for path in house if path.suffix == ".py"}
    assert files == {"library.py", "errors.py", "verdict.py"}
    picture = (ROOT / "docs/guides/developer.md").read_text(encoding="utf-8").partition("```text picture")[2]
    shown = re.findall(r"(?<= )(\w+)(?:/|\.py)(?= )", picture.partition("\n")[2].partition("```")[0])
    assert sorted(shown) == sorted(name.rstrip("/").removesuffix(".py") for name in rooms | files)
    layers = (
        (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("layers = [")[2].partition("]")[0]
    )
    floors = {
        room: floor for floor, line in enumerate(layers.split("\n")) for room in re.findall(r"\w+", line)
    }
    assert [floors[room] for room in shown] == sorted(floors[room] for room in shown)


def test_each_page_is_in_the_index() -> None:
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    pages = [page for page in PAGES if page.is_relative_to(ROOT / "docs") and page.name != "README.md"]
    named = [page.relative_to(ROOT / "docs") for page in pages if not {"adr", "changes"} & set(page.parts)]
    assert [str(page) for page in named if f"({page})" not in index] == []


def test_the_table_of_the_readme_names_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = {path.stem for path in (ROOT / "TesterLibrary/commands").glob("[!_]*.py")} - {"main"}
    assert commands - set(re.findall(r"`tester (\w+)`", readme)) == {"counters", "import"}
