# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.paths import resource
from TesterLibrary.p4.efsm import efsm
from TesterLibrary.planning.switch.match_action import match_action
from TesterLibrary.protocols.checker import load_protocol


def generated(*names: str) -> str:
    return efsm([match_action(load_protocol(name)) for name in names])


def changed(folder: Path, name: str, old: str = "", new: str = "") -> str:
    """http-get under another name, and otherwise changed."""
    text = resource("protocols", "http-get").read_text(encoding="utf-8")
    assert old in text
    path = folder / f"{name}.yaml"
    path.write_text(text.replace("name: http-get", f"name: {name}").replace(old, new), encoding="utf-8")
    return str(path)


def action(text: str, name: str) -> str:
    found = re.search(rf"action {name}\(.*?\n    \}}", text, re.DOTALL)
    assert found, name
    return found[0]


def test_each_template_is_an_action_that_asks_for_its_queue() -> None:
    text = generated("http-get")
    queues = re.findall(r"action http_get_(\w+)\(.*?reply.queue = (\d+);", text, re.DOTALL)
    names = ("syn_ack", "content", "more", "fin_ack", "acknowledge", "reset")
    assert queues == [(name, str(number)) for number, name in enumerate(names)]


def test_an_answer_is_a_sum_of_fields_and_then_a_constant() -> None:
    acknowledge = action(generated("http-get"), "http_get_acknowledge")
    assert "reply.seq = hdr.tcp.ack;" in acknowledge
    assert "reply.ack = seq + octets;" in acknowledge
    assert "more_seq = 0;" in acknowledge
    assert "more_ack = 1;" in acknowledge


def test_the_number_that_a_flow_expects_is_kept_where_a_protocol_has_one() -> None:
    text = generated("http-get-client")
    assert "expected.apply(hdr, taken, expects, in_order);" in text
    assert "answers.apply(hdr, begun);" in text
    assert "in_order: ternary" in text
    assert "begun: ternary" in text
    assert "reply.ack = expects;" in action(text, "http_get_client_acknowledge")
    assert "expect" not in generated("http-get")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("set: {next: TCP.seq + 1, begun: 0}, send: get", "send: get"),
        ("set: {next: TCP.seq + payload.length + TCP.fin}, send: finish", "send: finish"),
        ("TCP.fin, begun: 1}", "TCP.fin}"),
        ("do: [count: disordered, send: acknowledge]", "do: [set: {next: TCP.seq}, send: acknowledge]"),
    ],
    ids=["SYN", "in order", "begun", "another row"],
)
def test_what_a_switch_does_otherwise_with_a_number_is_refused(tmp_path: Path, old: str, new: str) -> None:
    text = resource("protocols", "http-get-client").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "own.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(PlanError, match=r"line \d+: a switch keeps two variables beside the state"):
        generated(str(path))


def test_keys_are_what_the_rows_test() -> None:
    text = generated("http-get")
    keys = re.findall(r"ternary @name\(\"(\w+)\"\)", text)
    assert keys == [
        "link",
        "state",
        "tcp_ack",
        "tcp_flags",
        "payload_length",
        "payload_valid",
        "payload_word0",
        "payload_word1",
    ]


def test_protocols_share_the_queues(tmp_path: Path) -> None:
    text = generated("http-get", changed(tmp_path, "again"))
    numbers = [int(number) for number in re.findall(r"reply.queue = (\d+);", text)]
    assert numbers == list(range(12))


def test_a_protocol_is_given_once() -> None:
    with pytest.raises(PlanError, match=r"http-get, http-get: each is given once"):
        generated("http-get", "http-get")


def test_more_queues_than_there_are_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"own-2\.yaml: line \d+: queues of templates: 18 needed, 16 there"):
        generated(*[changed(tmp_path, f"own-{number}") for number in range(3)])


def test_what_is_no_key_of_the_table_is_refused(tmp_path: Path) -> None:
    path = changed(tmp_path, "own", "when: {TCP.flags: {set: R}}", "when: {TCP.flags: {set: R}, IP.ttl: 3}")
    with pytest.raises(
        PlanError, match=r"own\.yaml: line \d+: a row tests IP\.ttl, which is no key of the switch's table"
    ):
        generated(path)


def test_a_start_draws_the_sequence_number_that_it_comes_with() -> None:
    syn = action(generated("syn-flood"), "syn_flood_syn")
    assert "reply.seq = seq;" in syn


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("do: [count: closed], to: closed}", "do: [count: {closed: 2}], to: closed}", "count closed 2"),
        (
            "{in: closed, on: packet, do: [count: unknown]}",
            "{in: closed, on: packet, do: [random: [id]]}",
            "randomize id",
        ),
    ],
)
def test_what_a_row_cannot_do_is_refused(tmp_path: Path, old: str, new: str, what: str) -> None:
    path = changed(tmp_path, "own", "\ncounters:", "\nvariables: {id: 32}\ncounters:")
    table = Path(path)
    table.write_text(table.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(PlanError, match=rf"own\.yaml: line \d+: .*{what}.* is not in the switch's program"):
        generated(path)


def test_a_reply_is_none_of_a_table_with_templates() -> None:
    with pytest.raises(PlanError, match=r"udp-echo.*line \d+: reply .* is not in the switch's program"):
        generated("udp-echo")


def test_a_stop_that_is_to_end_flows_is_refused(tmp_path: Path) -> None:
    path = changed(tmp_path, "own", "\ntable:\n", "\ntable:\n  - {in: any, on: stop, to: closed}\n")
    with pytest.raises(
        PlanError, match=r"own\.yaml: line \d+: the event stop is not in the switch's program"
    ):
        generated(path)


def test_what_an_answer_cannot_have_is_refused(tmp_path: Path) -> None:
    path = changed(tmp_path, "own", "TCP.ack: TCP.seq + 1", "TCP.ack: TCP.seq + TCP.window")
    with pytest.raises(
        PlanError, match=r"own\.yaml: line \d+: template syn_ack needs TCP\.seq \+ TCP\.window"
    ):
        generated(path)
    path = changed(tmp_path, "own", "TCP.seq: 0, TCP.ack", "TCP.urgptr: TCP.window, TCP.ack")
    with pytest.raises(
        PlanError, match=r"own\.yaml: line \d+: template syn_ack sets TCP\.urgptr to TCP\.window"
    ):
        generated(path)
