# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints figures of the structure of the sources, beside those of tools/house.json.

    python3 tools/house.py            1 if a figure of structure is worse than the committed one
    python3 tools/house.py --write    commits to the figures of now

Lines are printed by room and may grow with what the library does. Needs nothing but the standard library.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMITTED = Path(__file__).with_suffix(".json")
LIBRARY = ROOT / "TesterLibrary"
GENERATED = LIBRARY / "_generated" / "tester"
ENGINE = ROOT / "engine" / "src"

MOST_FILES = 40  # in a folder
SHORT, LONG = 40, 400  # lines of a file
MOST_PATHS = 15  # through a function
MOST_STATEMENTS = 6  # of a keyword
VAGUE = {
    "found",
    "known",
    "given",
    "left",
    "said",
    "asked",
    "wanted",
    "taken",
    "one",
    "each",
    "other",
    "rest",
}
RIDDLES = re.compile(r"\b(so many|nobody|is none|there is none|in vain|of which|for whom)\b", re.IGNORECASE)
# The clock of the machine is read by the tester's clock, and for processes of the operating system.
CLOCKED = ("running", "keywords")
UNCLOCKED = {"clock.py", "hook_process.py", "hook_keeper.py", "reset.py"}
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.ExceptHandler, ast.comprehension, ast.match_case)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Source:
    """A file of the library."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.lines = self.text.count("\n")
        self.nodes = list(ast.walk(ast.parse(self.text)))

    @property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """All functions and methods."""
        return [node for node in self.nodes if isinstance(node, _FUNCTIONS)]

    @property
    def docstrings(self) -> list[str]:
        """All docstrings."""
        documented = (
            node for node in self.nodes if isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTIONS))
        )
        return [text for node in documented if (text := ast.get_docstring(node))]


def sources() -> list[Source]:
    """The files of the library, but what is generated."""
    paths = (path for path in sorted(LIBRARY.rglob("*.py")) if not path.is_relative_to(GENERATED))
    return [Source(path) for path in paths]


def figures(files: list[Source]) -> dict[str, int]:
    """The figures of structure: fewer are better."""
    functions = [function for file in files for function in file.functions]
    nodes = [node for file in files for node in file.nodes]
    own = [file for file in files if file.path.name != "__init__.py"]
    return {
        f"folders with more than {MOST_FILES} files": len(_full_folders()),
        f"files below {SHORT} lines": sum(file.lines < SHORT for file in own),
        f"files above {LONG} lines": sum(file.lines > LONG for file in own),
        f"functions with more than {MOST_PATHS} paths": sum(_paths(each) > MOST_PATHS for each in functions),
        f"keywords with more than {MOST_STATEMENTS} statements": sum(
            _statements(function) > MOST_STATEMENTS for function in functions if _is_keyword(function)
        ),
        "public class names of two classes": sum(count > 1 for count in _class_names(files).values()),
        "vague names": sum(_vague(nodes)),
        "riddles in docstrings": sum(
            len(RIDDLES.findall(text)) for file in files for text in file.docstrings
        ),
        "asserts": sum(isinstance(node, ast.Assert) for node in nodes),
        "Any": sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes),
        "type: ignore": sum(file.text.count("# type: ignore") for file in files),
        "loops with a sleep": sum(_sleeps(node) for node in nodes),
        "imports of time beside the tester's clock": sum(map(_imports_of_time, files)),
        "isinstance of a target": sum(_asks_for_target(node) for node in nodes),
        "files in the root": len([path for path in _tracked() if "/" not in path and path[0] != "."]),
    }


def rooms(files: list[Source]) -> Mapping[str, tuple[int, int]]:
    """Files and lines of each room."""
    found: dict[str, tuple[int, int]] = {}
    for file in files:
        room = file.path.relative_to(LIBRARY).parts[0]
        count, lines = found.get(room, (0, 0))
        found[room] = count + 1, lines + file.lines
    return found


def _tracked() -> list[str]:
    command = ["git", "ls-files"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


def _full_folders() -> list[Path]:
    counts = Counter(path.parent for path in LIBRARY.rglob("*.py") if not path.is_relative_to(GENERATED))
    counts += Counter(path.parent for path in ENGINE.rglob("*") if path.suffix in (".cc", ".h"))
    return [folder for folder, count in counts.items() if count > MOST_FILES]


def _class_names(files: Iterable[Source]) -> Counter[str]:
    classes = (node.name for file in files for node in file.nodes if isinstance(node, ast.ClassDef))
    return Counter(name for name in classes if not name.startswith("_"))


def _vague(nodes: Iterable[ast.AST]) -> Iterator[bool]:
    """Whether names that are bound say nothing of what they are."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id in VAGUE


def _paths(function: ast.AST) -> int:
    nodes = list(ast.walk(function))
    operators = sum(len(node.values) - 1 for node in nodes if isinstance(node, ast.BoolOp))
    return 1 + sum(isinstance(node, _BRANCHES) for node in nodes) + operators


def _statements(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return sum(isinstance(node, ast.stmt) for statement in body for node in ast.walk(statement))


def _is_keyword(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = (node.func if isinstance(node, ast.Call) else node for node in function.decorator_list)
    return any(isinstance(name, ast.Name) and name.id == "keyword" for name in names)


def _sleeps(node: ast.AST) -> bool:
    if not isinstance(node, (ast.For, ast.While)):
        return False
    calls = (call.func for call in ast.walk(node) if isinstance(call, ast.Call))
    return any(getattr(call, "attr", getattr(call, "id", "")).lstrip("_") == "sleep" for call in calls)


def _imports_of_time(file: Source) -> int:
    """Imports of `time` in rooms that have the tester's clock."""
    clocked = any(file.path.is_relative_to(LIBRARY / room) for room in CLOCKED)
    if not clocked or file.path.name in UNCLOCKED:
        return 0
    imports = [name.name for node in file.nodes if isinstance(node, ast.Import) for name in node.names]
    sources = [node.module for node in file.nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return [*imports, *sources].count("time")


def _asks_for_target(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"):
        return False
    return any(isinstance(name, ast.Name) and name.id.endswith("Target") for name in ast.walk(node))


def main(arguments: list[str]) -> int:
    """1 if a figure is worse than the committed one."""
    files = sources()
    now = figures(files)
    if "--write" in arguments:
        COMMITTED.write_text(json.dumps(now, indent=4) + "\n", encoding="utf-8")
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))
    worse = [name for name, count in now.items() if count > committed.get(name, count)]
    print(f"{'figure':45}{'committed':>10}{'now':>8}")
    for name, count in now.items():
        print(f"{name:45}{committed.get(name, 0):>10}{count:>8}{'  worse' if name in worse else ''}")
    print(f"\n{'room':20}{'files':>8}{'lines':>8}")
    for room, (count, lines) in sorted(rooms(files).items(), key=lambda item: -item[1][1]):
        print(f"{room:20}{count:>8}{lines:>8}")
    print(f"{'in all':20}{len(files):>8}{sum(file.lines for file in files):>8}")
    for folder in _full_folders():
        print(f"more than {MOST_FILES} files: {folder.relative_to(ROOT)}")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
