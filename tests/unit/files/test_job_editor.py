# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.job import load_job
from TesterLibrary.model.editor import (
    Draw,
    Editor,
    FieldPath,
    FieldValues,
    RandomField,
    RandomMask,
    RandomPrefix,
    Sweep,
)

from .test_job import STREAM, job

MIX = "signature: true}\nmixes:\n  - {name: m, rate: 1 kpps, shares: "


def test_each_way_in_which_a_field_changes(tmp_path: Path) -> None:
    (tmp_path / "ports.txt").write_text("53\n80\n")
    (tmp_path / "cdf.csv").write_text("53, 0.5\n80, 1\n")
    edits = [
        "{field: UDP.dport, sweep: {first: 1024, step: 0x10, count: 9}, every: 2}",
        "{field: IP.src, sweep: {first: 10.0.0.1, last: 10.0.0.9}}",
        f"{{field: UDP.sport, values: {tmp_path}/ports.txt}}",
        "{field: UDP.sport, values: [53, domain]}",
        "{field: UDP.sport, random: [], seed: 5}",
        "{field: UDP.sport, random: [1, 9]}",
        "{field: IP.id, mask: 0xff}",
        "{field: IP.src, prefix: 10.0.0.0/16}",
        '{field: IP.tos, draw: {"0": 3, "184": 1}}',
        f"{{field: IP.tos, draw: {tmp_path}/cdf.csv}}",
    ]
    expected = [
        Editor(FieldPath("UDP", "dport"), Sweep("1024", step="0x10", count=9), every=2),
        Editor(FieldPath("IP", "src"), Sweep("10.0.0.1", "10.0.0.9")),
        Editor(FieldPath("UDP", "sport"), FieldValues(("53", "80"))),
        Editor(FieldPath("UDP", "sport"), FieldValues(("53", "domain"))),
        Editor(FieldPath("UDP", "sport"), RandomField(), seed=5),
        Editor(FieldPath("UDP", "sport"), RandomField("1", "9")),
        Editor(FieldPath("IP", "id"), RandomMask("0xff")),
        Editor(FieldPath("IP", "src"), RandomPrefix.parse("10.0.0.0/16")),
        Editor(FieldPath("IP", "tos"), Draw(("0", "184"), (Fraction(3, 4), Fraction(1)))),
        Editor(FieldPath("IP", "tos"), Draw(("53", "80"), (Fraction(1, 2), Fraction(1)))),
    ]
    for text, editor in zip(edits, expected, strict=True):
        file = load_job(job(tmp_path, STREAM + f"edit: [{text}]}}\n"))
        assert file.job.streams[0].editors == (editor,)


def test_cascades_and_mixes(tmp_path: Path) -> None:
    edits = "[{field: IP.src, values: [10.0.0.1]}, {field: IP.id, values: [1, 2]}]"
    text = STREAM + f"edit: {edits}, cascade: [[IP.src, IP.id]], count_flows: true}}\n"
    text += "  - {name: b, tx: p1, rx: p2, frame_size: 64:1 128:1}\n"
    text += "mixes:\n  - {name: m, rate: 4 kpps, shares: {a: 3, b: 1}}\n"
    one, two = load_job(job(tmp_path, text)).job.streams
    assert (one.cascades, one.count_flows) == (((FieldPath("IP", "src"), FieldPath("IP", "id")),), True)
    assert (one.rate.value, two.rate.value, two.frame_size.order) == (3000, 1000, (64, 128))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "edit: [{field: UDP.dport}]}\n",
            r"job.yaml:7: .*UDP.dport: nothing tells how it changes",
        ),
        ("edit: [{field: UDP.dport, mask: 1, random: []}]}\n", r"random and mask tells how it changes"),
        ("edit: [{field: dport, mask: 1}]}\n", r"'dport' is not a field; write header and field"),
        ("edit: [{field: IP.src, prefix: 10.0.0.1/16}]}\n", r"'10.0.0.1/16' is not a prefix"),
        ("edit: []}\n", r"edit: .*give a list of 1 to 16 fields"),
        ("frame_size: 64:1 64:2}\n", r"frame_size: '64:1 64:2' is not a mix"),
        ("cascade: [[IP.src]]}\n", r"give a list of 2 or more fields"),
        (MIX + "{c: 1}}\n", r"there is no stream 'c'; there are a"),
        (MIX + "{a: 99 %}}\n", r"shares above 0 have to make 100 %"),
    ],
)
def test_mistakes_are_found_where_they_are(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        load_job(job(tmp_path, STREAM + text))
