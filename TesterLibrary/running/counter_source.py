# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sources of a host's counters: commands, and parsers of their output."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ..errors import TesterLibraryError

_TABLES = ("/proc/net/snmp", "/proc/net/netstat")  # as nstat reads them
_LINE = re.compile(r"^\s*(\S.*?)\s*[:=\s]\s*(-?\d+)\s*$")
_SOCKET_VALUE = re.compile(r"(?<!\S)([a-z_]+):(\d+)(?:/(\d+))?(?!\S)")


@dataclass(frozen=True)
class CounterSource:
    """A command, and a function that finds the counters in its output; it raises ValueError for nonsense."""

    words: tuple[str, ...]
    read: Callable[[str], Mapping[str, int]]


def source_of(text: str) -> CounterSource:
    """The source that a suite means: `nstat`, `ethtool eth0`, `rdma mlx5_0`, `ss`, or any other command.

    Raises:
        TesterLibraryError: nothing is given, or ethtool no interface.
    """
    words = tuple(shlex.split(text))
    if words == ("nstat",):
        return CounterSource(("cat", *_TABLES), _nstat)
    if words[:1] == ("ethtool",):
        if len(words) != 2:
            raise TesterLibraryError(f"source={text!r}; give one interface, such as 'ethtool eth0'")
        return CounterSource(("ethtool", "-S", words[1]), lambda said: dict(_lines(said)))
    if words[:1] == ("rdma",) and len(words) == 2:
        link = words[1] if "/" in words[1] else f"{words[1]}/1"
        return CounterSource(("rdma", "-j", "statistic", "show", "link", link), _printed)
    if words[:1] == ("ss",):
        return CounterSource(("ss", "-tinH", *words[1:]), _sockets)
    if not words:
        raise TesterLibraryError(
            "no source of counters; give nstat, 'ethtool eth0', 'rdma mlx5_0', ss or a command"
        )
    return CounterSource(words, _printed)


def _nstat(said: str) -> dict[str, int]:
    lines = said.splitlines()
    found: dict[str, int] = {}
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        group, *keys = names.split()
        numbers = map(int, values.split()[1:])
        found |= {group.rstrip(":") + key: value for key, value in zip(keys, numbers, strict=True)}
    return found


def _lines(said: str) -> Iterator[tuple[str, int]]:
    """Lines with a name and a number at their end; others are headings."""
    for line in said.splitlines():
        if match := _LINE.match(line):
            yield match[1], int(match[2])


def _sockets(said: str) -> dict[str, int]:
    """`name:value` of `ss -i`, over all sockets: `retrans:1/3` is `retrans` 1 and `retrans_total` 3."""
    found: Counter[str] = Counter()
    for name, value, total in _SOCKET_VALUE.findall(said):
        found[name] += int(value)
        if total:
            found[f"{name}_total"] += int(total)
    # ss leaves out what is 0, also in a socket that it does show.
    return {"retrans": 0, "retrans_total": 0, **found} if said.strip() else {}


def _printed(said: str) -> dict[str, int]:
    """JSON, or else lines with a name and a number."""
    if said.lstrip()[:1] in ("{", "["):
        return dict(_numbers(json.loads(said), ""))
    return dict(_lines(said))


def _numbers(value: object, name: str) -> Iterator[tuple[str, int]]:
    """The whole numbers in JSON, with the way to them: `stats64.rx.packets`. A list of one is that one."""
    if isinstance(value, list) and len(value) == 1:
        yield from _numbers(value[0], name)
    elif isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in inner:
            yield from _numbers(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield name, value
