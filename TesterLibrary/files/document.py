# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The reader of YAML: every value knows its key and line, and what is wrong is refused with both.

All files that users write come through here: testbeds, jobs, headers, protocols, criteria, profiles,
campaigns, calibrations, limits of evidence and lists of gaps.
"""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import getitem
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import yaml

from ..errors import TesterLibraryError, UnitError, did_you_mean
from ..model.units.units import Duration, Rate, RateUnit, Ratio
from .paths import report_file

if TYPE_CHECKING:
    import jsonschema

_MOST_VALUES = 10_000  # a real file has dozens; a file of aliases to aliases can have billions
_DEEPEST = 20
_MOST_BYTES = 1_000_000
_MOST_NODES = 2 * _MOST_VALUES  # values, and a key for each
_MOST_KEPT = 50_000  # bytes of a file whose nodes are kept, so that users of a service cannot fill its memory

_T = TypeVar("_T")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_HALF = re.compile(r"[\ud800-\udfff]")  # a surrogate without the other one, which UTF-8 cannot have


def _telling(text: object, *, tells: bool, allowed: str) -> bool:
    """Raises UnitError for a bound that every device passes, or none."""
    if not tells:
        raise UnitError(f"{str(text)!r} tells no device from another; write {allowed}")
    return True


def _time_that_passes(text: object) -> bool:
    time = Duration.parse(text)
    return _telling(text, tells=time.ns > 0, allowed="a time above 0, such as 5 ms")


def _rate_that_passes(text: object) -> bool:
    rate = Rate.parse(text)
    possible = rate.unit is not RateUnit.LINE or rate.value <= 1
    return _telling(text, tells=possible, allowed="at most 100 %")


def _loss_that_passes(text: object) -> bool:
    loss = Ratio.parse(text)
    return _telling(text, tells=loss.value < 1, allowed="less than 100 %")


def _load(text: object) -> bool:
    load = Ratio.parse(text)
    return _telling(text, tells=load.value > 0, allowed="a load above 0, such as 50 %")


_FORMATS: Mapping[str, Callable[[Any], bool]] = {
    "time": lambda text: bool(Duration.parse(text)) or True,
    "ratio": lambda text: bool(Ratio.parse(text)) or True,
    "rate": lambda text: bool(Rate.parse(text)) or True,
    "time that passes": _time_that_passes,
    "rate that passes": _rate_that_passes,
    "loss that passes": _loss_that_passes,
    "load": _load,
}


@lru_cache(maxsize=1)
def _format_checker() -> jsonschema.FormatChecker:
    import jsonschema  # a third of the time to start a process that reads no file

    checker = jsonschema.FormatChecker(formats=())
    for name, check in _FORMATS.items():
        checker.checks(name, raises=UnitError)(check)
    return checker


Place = tuple[str | int, ...]  # keys and indices on the way to a value


@dataclass(frozen=True)
class Kind:
    """A kind of file: `testbed`, and the error that says what is wrong with one."""

    name: str
    error: type[TesterLibraryError]
    is_variable_file: bool = False  # of Robot, which reads the key `64` as a number: it has to be quoted


@dataclass(frozen=True)
class Document:
    """The data of a file, with the line of each value."""

    path: Path
    kind: Kind
    data: Any
    lines: dict[Place, int]

    def error(self, place: Place, message: str) -> TesterLibraryError:
        """The error of its kind for a value: `file:line: key: message`."""
        return self.kind.error(self.message(place, message))

    def message(self, place: Place, message: str) -> str:
        """`file:line: key: message`."""
        where = f"{dotted(place)}: " if place else ""
        return f"{self.path}:{self.line(place)}: {where}{message}"

    def parsed(self, parse: Callable[[Any], _T], value: Any, place: Place) -> _T:
        """Parses the value of a place; what `parse` cannot take becomes the error of the kind."""
        try:
            return parse(value)
        except (TesterLibraryError, ValueError) as problem:
            raise self.error(place, str(problem)) from None

    def line(self, place: Place) -> int:
        """The line of a value, or of the nearest value around it that is there."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def check_unique(self, places: Iterable[Place], *, any_case: bool = False) -> None:
        """The error of its kind for the first text that is at two of these places."""
        first: dict[str, Place] = {}
        for place in places:
            if place in self.lines:
                value = str(reduce(getitem, place, self.data))
                if (earlier := first.setdefault(value.lower() if any_case else value, place)) != place:
                    raise self.error(place, self.repeated(value, earlier))

    def repeated(self, value: object, earlier: Place) -> str:
        """The message for a value that an earlier place has, too."""
        where = f"line {self.line(earlier)} already, as {dotted(earlier)}"
        return f"{reprlib.repr(value)} is in {where}; each needs its own"


def dotted(place: Place) -> str:
    """A place as people write it: `ports[0].speed`."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def load_document(
    path: Path, kind: Kind, more: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> Document:
    """Reads one YAML file and holds it to `reports/schemas/<kind>.schema.json`.

    `more` are properties, with their schemas, of definitions in that schema.

    The kind's error says file, line, key, and what is allowed there: each schema of ours describes that.
    """
    document = read_document(path, kind)
    schema = json.loads(report_file(f"schemas/{kind.name}.schema.json").read_text(encoding="utf-8"))
    for definition, properties in more.items():
        schema["$defs"][definition]["properties"] |= properties
    import jsonschema

    errors = jsonschema.Draft202012Validator(schema, format_checker=_format_checker()).iter_errors(
        document.data
    )
    problems = dict.fromkeys(problem for error in errors for problem in _explain(error, document))
    if problems:
        in_order = sorted(problems, key=lambda problem: document.line(problem[0]))
        raise kind.error("\n".join(document.message(*problem) for problem in in_order))
    names: dict[Place, list[Place]] = {}  # by the list whose items have them
    for place in document.lines:
        match place:
            case (*above, int(), "name"):
                names.setdefault(tuple(above), []).append(place)
    for places in names.values():
        document.check_unique(places)
    return document


def _explain(error: jsonschema.ValidationError, document: Document) -> Iterator[tuple[Place, str]]:
    """The place of each error, and a message for the author of the file."""
    place: Place = tuple(error.absolute_path)
    rule, given, schema = error.validator, cast("Any", error.instance), cast("dict[str, Any]", error.schema)
    if rule == "additionalProperties":
        allowed, patterns = list(schema.get("properties", ())), list(schema.get("patternProperties", ()))
        for unknown in (key for key in given if key not in allowed):
            if any(re.search(pattern, unknown) for pattern in patterns):
                continue
            hint = did_you_mean(unknown, allowed)
            known = f"allowed are {', '.join(allowed)}" if allowed else schema["description"]
            yield (*place, unknown), f"there is no such key{hint}; {known}"
    elif rule == "required":
        for missing in (key for key in schema["required"] if key not in given):
            yield (*place, missing), f"is missing; {schema['properties'][missing]['description']}"
    elif rule == "format":
        yield place, str(error.cause)
    elif rule == "uniqueItems":
        number = next(number for number, item in enumerate(given) if item in given[:number])
        earlier = (*place, given.index(given[number]))
        yield (*place, number), document.repeated(given[number], earlier)
    else:
        hint = did_you_mean(given, schema["enum"]) if rule == "enum" else ""
        yield place, f"{reprlib.repr(given)} is not allowed{hint}; {schema['description']}"


class _TooManyNodes(Exception):
    """A file has more nodes than one of ours can have."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _Loader(yaml.SafeLoader):
    """Ends with the first node that is too many: of a megabyte all of them would be 300 MB."""

    _left = _MOST_NODES

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """A node, with those inside of it."""
        self._left -= 1
        if self._left < 0:
            raise _TooManyNodes(self.line + 1)
        return super().compose_node(parent, index)


def _compose(content: bytes) -> yaml.Node | None:
    """The nodes of a file."""
    return yaml.compose(content, Loader=_Loader)


# Nobody changes them, and a run reads the same few files for each of its keywords.
_compose_once = lru_cache(maxsize=16)(_compose)


def read_document(path: Path, kind: Kind) -> Document:
    """Reads one YAML file. The kind's error, with the line, if it is none, or has a key twice."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise kind.error(f"{path}: longer than {_MOST_BYTES} bytes; that is no {kind.name} file")
        root = (_compose_once if len(content) <= _MOST_KEPT else _compose)(content)
    except OSError as problem:
        raise kind.error(f"{path}: cannot be read: {problem.strerror}") from problem
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 1
        raise kind.error(f"{path}:{line}: not YAML: {problem.problem}") from problem
    except yaml.YAMLError as problem:  # bytes that are no text
        raise kind.error(f"{path}: not YAML: {problem}") from problem
    except _TooManyNodes as problem:
        raise kind.error(_too_large(path, problem.line, kind)) from None
    except RecursionError:
        raise kind.error(f"{path}: nested too deeply; that is no {kind.name} file") from None
    except (ValueError, OverflowError) as problem:  # an escape beyond Unicode, such as "\UFFFFFFFF"
        raise kind.error(f"{path}: not YAML: {problem}") from problem
    builder = _Builder(path, kind)
    data = builder.value(root, ()) if root is not None else None
    return Document(path, kind, data, builder.lines)


def _too_large(path: Path, line: int, kind: Kind) -> str:
    return f"{path}:{line}: too many values, too long, or too deep; that is no {kind.name} file"


def write_document(path: Path, data: Mapping[str, Any]) -> None:
    """Writes a file that can be read back, as a whole or not at all. OSError if that cannot be."""
    fresh = path.with_suffix(".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh.write_text(document_text(data), encoding="utf-8")
    fresh.replace(path)


def document_text(data: Mapping[str, Any]) -> str:
    """The text of a file that can be read back."""
    return yaml.safe_dump(dict(data), sort_keys=False, allow_unicode=True)


class _Builder:
    """Plain values from YAML nodes; only true, false, null and decimal integers are other than text.

    PyYAML by itself reads `02:…`-like MAC addresses as base-60 numbers and `no` as false.
    """

    def __init__(self, path: Path, kind: Kind) -> None:
        self.lines: dict[Place, int] = {}
        self._path, self._kind = path, kind
        self._characters = 0  # of texts; an alias has those of its text anew

    def value(self, node: yaml.Node, place: Place) -> Any:
        """The value of a node; remembers the line of each value in it."""
        line = node.start_mark.line + 1
        self.lines.setdefault(place, line)
        if len(self.lines) > _MOST_VALUES or len(place) > _DEEPEST:
            raise self._kind.error(_too_large(self._path, line, self._kind))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*place, index)) for index, item in enumerate(node.value)]
        self._check_text(str(node.value), line, place)
        return _scalar(node)

    def _check_text(self, text: str, line: int, place: Place) -> None:
        self._characters += len(text)
        if self._characters > _MOST_BYTES:
            raise self._kind.error(_too_large(self._path, line, self._kind))
        if _HALF.search(text):
            where = f"{dotted(place)}: " if place else ""
            problem = f"{text!a} has half of a character, a surrogate; write the whole character"
            raise self._kind.error(f"{self._path}:{line}: {where}{problem}")

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._kind.error(f"{self._path}:{line}: a key has to be a word")
            key = str(key_node.value)
            self._check_text(key, line, place)
            where = (*place, key)
            if self._kind.is_variable_file and key_node.style is None and _NUMBER.fullmatch(key):
                problem = f'the key {key} is not a text; write "{key}" with quotes'
                raise self._kind.error(f"{self._path}:{line}: {dotted(where)}: {problem}")
            if key in mapping:
                problem = f"given twice, in line {self.lines[where]} before; remove one"
                raise self._kind.error(f"{self._path}:{line}: {dotted(where)}: {problem}")
            self.lines[where] = line
            mapping[key] = self.value(value_node, where)
        return mapping


def _scalar(node: yaml.Node) -> Any:
    text = str(node.value)
    if isinstance(node, yaml.ScalarNode) and node.style is not None:  # quoted
        return text
    if text in ("", "~", "null"):
        return None
    if text in ("true", "false"):
        return text == "true"
    return int(text) if _NUMBER.fullmatch(text) else text
