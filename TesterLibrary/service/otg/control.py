# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An Open Traffic Generator over one tester: every call of the model, however it came in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from itertools import count
from threading import RLock
from typing import Any, Protocol, TypeAlias

from ...errors import PlanError, TesterLibraryError, UnitError
from ...running.tester import Tester
from .captures import PortCaptures
from .configuration import settings_of
from .laboratory import Laboratory
from .metrics import metrics_of
from .refusal import Findings, OtgError, OtgFailure, one_line
from .schema import Message, alternatives, chosen, message_class, named
from .settings import FlowSetting, Settings
from .stations import Stations
from .support import check, reads
from .transmission import Prepared, Transmission

Answer: TypeAlias = Message | dict[str, Any] | bytes  # a dictionary is JSON of a message
_PACKAGE = "robotframework-testerlibrary"
# A client takes our answer for a range in which its own version has to be.
SPECIFICATIONS = ">=1.0.0,<2.0.0"

reads("ConfigUpdate", "choice flows", choice="flows")
reads("FlowsUpdate", "property_names flows")
reads("ConfigAppend", "config_append_list")
reads("ConfigAppendResources", "choice flows")
reads("ConfigDelete", "config_delete_list")
reads("ConfigDeleteResources", "choice flows")
reads("ControlState", "choice port protocol traffic")
reads("StatePort", "choice capture", choice="capture")
reads("StatePortCapture", "port_names state")
reads("StateProtocol", "choice all", choice="all")
reads("StateProtocolAll", "state")
reads("StateTraffic", "choice flow_transmit")
reads("StateTrafficFlowTransmit", "flow_names state", state="start stop")
reads("ControlAction", "choice")


@dataclass(frozen=True)
class Call:
    """One call of the model: the message that it takes, if any, and what answers it."""

    request: str
    answer: Callable[[Message], Answer]


class Answering(Protocol):
    """Answers the calls of the model, for a server."""

    @property
    def calls(self) -> Mapping[str, Call]:
        """The calls by their names."""
        ...

    def call(self, name: str, request: Message | None) -> Answer:
        """The answer to a call. OtgError if it is refused."""
        ...

    def note(self, name: str, refused: OtgError) -> None:
        """Notes that a call was refused, or failed."""


class TrafficGenerator:
    """Answers the calls of the model, one at a time."""

    def __init__(
        self,
        tester: Tester,
        laboratory: Laboratory,
        told: Callable[[str], None] = lambda _: None,
        refused: Callable[[int, str, str], None] = lambda *_: None,
    ) -> None:
        """`told` is called with each warning and refusal, `refused` with its status, call and error."""
        self._tester, self._laboratory = tester, laboratory
        self._told, self._refused = told, refused
        self._original_ports = dict(tester.ports)
        self._jobs = count(1)
        self._config = message_class("Config")()
        self._settings = Settings()
        self._flows = Transmission(tester, self._jobs)
        self._captures = PortCaptures(tester)
        self._stations = Stations(tester)
        self._lock = RLock()
        self.calls: Mapping[str, Call] = {
            "SetConfig": Call("Config", self._set_config),
            "GetConfig": Call("", lambda _: self._config),
            "UpdateConfig": Call("ConfigUpdate", self._update_config),
            "AppendConfig": Call("ConfigAppend", self._append_config),
            "DeleteConfig": Call("ConfigDelete", self._delete_config),
            "SetControlState": Call("ControlState", self._set_control_state),
            "SetControlAction": Call("ControlAction", self._set_control_action),
            "GetMetrics": Call("MetricsRequest", self._get_metrics),
            "GetStates": Call("StatesRequest", self._get_states),
            "GetCapture": Call("CaptureRequest", self._get_capture),
            "GetVersion": Call("", lambda _: _version()),
        }

    def note(self, name: str, refused: OtgError) -> None:
        """Tells whoever watches the server that a call was refused, or failed."""
        more = f" (and {len(refused.errors) - 1} more)" if len(refused.errors) > 1 else ""
        self._told(f"refused {refused.code}: {name}: {one_line(refused.errors[0])}{more}")
        self._refused(refused.code, name, f"{one_line(refused.errors[0])}{more}")

    def call(self, name: str, request: Message | None) -> Answer:
        """The answer to a call.

        Raises:
            OtgError: it is refused, and has changed nothing.
            OtgFailure: the tester is broken, or did not do its part.
        """
        with self._lock:
            try:
                if request is not None and name != "SetConfig":  # whose settings are checked as a whole
                    findings = Findings()
                    check(request, "", findings)
                    findings.settle()
                return self.calls[name].answer(request)
            except OtgError:
                raise
            except (PlanError, UnitError) as refused:
                raise OtgError([str(refused)]) from None
            except TesterLibraryError as problem:
                raise OtgFailure([str(problem)]) from None

    def close(self) -> None:
        """Takes everything off the tester."""
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        self._captures.close()
        self._flows.close()
        self._stations.close()
        self._tester.ports = self._original_ports
        self._settings = Settings()
        self._config = message_class("Config")()

    # Configurations

    def _set_config(self, config: Message) -> dict[str, Any]:
        """A configuration in place of the present one, which is not touched before the new one is sound."""
        settings = settings_of(config, self._laboratory, {})
        flows = Transmission(self._tester, self._jobs)
        self._tester.ports = dict(settings.tester_ports)
        try:
            prepared = self._prepared(flows, settings.flows.values())
        finally:  # what the flows before have done is judged by the speeds that their ports had
            self._tester.ports = dict(self._settings.tester_ports or self._original_ports)
        self._clear()
        warnings = self._flows.take_warnings()
        self._tester.ports = dict(settings.tester_ports)
        self._settings, self._flows = settings, flows
        try:
            self._captures.settings = settings.captures
            self._stations.interfaces = settings.interfaces
            self._add(prepared)
            if _starts_devices(config):
                warnings += self._stations.start()
                self._find_gateways(config)
        except BaseException:
            self._clear()
            raise
        self._config = config
        return self._warning(warnings)

    def _prepared(self, flows: Transmission, settings: Iterable[FlowSetting]) -> Prepared:
        """Flows as they will be loaded. OtgError names each flow that is refused."""
        settings = list(settings)
        most, number = self._tester.capabilities.max_streams, sum(len(flow.parts) for flow in settings)
        if number > most:
            raise OtgError([f"flows: {number:,} flows; the tester holds at most {most:,}"])
        try:
            for flow in settings:
                if flow.unresolved:  # planned with a stand-in for the gateway
                    self._tester.check([part.stream for part in flow.parts])
            return flows.prepare(settings)
        except PlanError as refused:
            findings = Findings()
            for flow in settings:
                with findings.at(flow.place):
                    self._tester.check([part.stream for part in flow.parts])
            findings.settle()
            raise OtgError([f"flows: {refused}"]) from None

    def _add(self, prepared: Prepared) -> None:
        """Loads flows. OtgError for what only the tester itself refuses."""
        try:
            self._flows.add(prepared)
        except PlanError as refused:
            raise OtgError([f"flows: {refused}"]) from None

    def _update_config(self, update: Message) -> dict[str, Any]:
        config = message_class("Config")()
        config.CopyFrom(self._config)
        index_of = {flow.name: index for index, flow in enumerate(config.flows)}
        findings = Findings()
        changed = []
        properties = [
            update.flows.DESCRIPTOR.fields_by_name["property_names"].enum_type.values_by_number[number].name
            for number in update.flows.property_names
        ]
        if not properties:
            findings.add("flows.property_names", "is empty; give rate, size, or both")
        for at, flow in enumerate(update.flows.flows):
            if flow.name not in index_of:
                findings.add(f"flows.flows[{at}].name", f"{flow.name!r} is no flow of the configuration")
                continue
            changed.append(flow.name)
            for name in properties:
                getattr(config.flows[index_of[flow.name]], name).CopyFrom(getattr(flow, name))
        findings.settle()
        settings = settings_of(config, self._laboratory, self._stations.macs)
        self._prepared(self._flows, [settings.flows[name] for name in changed])
        self._flows.update([settings.flows[name] for name in changed], rate_only=properties == ["rate"])
        self._config, self._settings = config, settings
        return self._warning([])

    def _append_config(self, append: Message) -> dict[str, Any]:
        config = message_class("Config")()
        config.CopyFrom(self._config)
        for resource in append.config_append_list:
            config.flows.extend(resource.flows)
        settings = settings_of(config, self._laboratory, self._stations.macs)
        known = self._flows.settings
        added = [flow for name, flow in settings.flows.items() if name not in known]
        self._add(self._prepared(self._flows, added))
        self._config, self._settings = config, settings
        return self._warning([])

    def _delete_config(self, delete: Message) -> dict[str, Any]:
        findings = Findings()
        names: list[str] = []
        for number, resource in enumerate(delete.config_delete_list):
            for index, name in enumerate(resource.flows):
                if name not in self._flows.settings:
                    known = ", ".join(self._flows.settings) or "none"
                    findings.add(
                        f"config_delete_list[{number}].flows[{index}]",
                        f"{name!r} is no flow; there are {known}",
                    )
                names.append(name)
        findings.settle()
        self._flows.remove(names)
        config = message_class("Config")()
        config.CopyFrom(self._config)
        gone = set(names)
        kept = [flow for flow in config.flows if flow.name not in gone]
        del config.flows[:]
        config.flows.extend(kept)
        self._config = config
        self._settings = settings_of(config, self._laboratory, self._stations.macs)
        return self._warning([])

    # States

    def _set_control_state(self, state: Message) -> dict[str, Any]:
        choice = _required(state, "", {"port", "protocol", "traffic"})
        part = getattr(state, choice)
        inner = _required(part, choice, set(alternatives(part.DESCRIPTOR)))
        wanted = getattr(part, inner)
        place = f"{choice}.{inner}"
        goal = named(wanted, "state")
        if not goal:
            raise OtgError([f"{place}.state: is required"])
        if inner == "flow_transmit":
            names = self._named(wanted.flow_names, self._flows.settings, f"{place}.flow_names", "flow")
            return self._warning(self._transmit(names, goal))
        if inner == "capture":
            names = self._named(wanted.port_names, self._settings.ports, f"{place}.port_names", "port")
            return self._warning(self._capture(names, goal, all_ports=not wanted.port_names, path=place))
        return self._warning(self._protocols(goal))

    def _named(self, names: Iterable[str], known: Mapping[str, object], path: str, what: str) -> list[str]:
        """The objects that a state is for: those named, or all."""
        findings = Findings()
        wanted = list(dict.fromkeys(names))
        for index, name in enumerate(wanted):
            if name not in known:
                there = ", ".join(known) or "none"
                findings.add(
                    f"{path}[{index}]", f"{name!r} is no {what} of the configuration; it has {there}"
                )
        findings.settle()
        return wanted or list(known)

    def _transmit(self, names: Collection[str], goal: str) -> list[str]:
        if goal == "stop":
            self._flows.stop(names)
            return []
        warnings = []
        if any(self._flows.settings[name].unresolved for name in names):
            warnings = self._stations.start()
            self._find_gateways(self._config)
        if again := [name for name in names if name in self._flows.sending]:
            warnings = [
                *warnings,
                f"{', '.join(again)}: started before, and not over; begun anew, with counters of 0",
            ]
        self._flows.start(names)
        return warnings

    def _find_gateways(self, config: Message) -> None:
        """Loads flows whose gateways have answered meanwhile."""
        waiting = [name for name, flow in self._flows.settings.items() if flow.unresolved]
        if not waiting or not self._stations.macs:
            return
        settings = settings_of(config, self._laboratory, self._stations.macs)
        found = [settings.flows[name] for name in waiting if not settings.flows[name].unresolved]
        if found:
            self._add(self._prepared(self._flows, found))
            self._settings = settings

    def _capture(self, names: Iterable[str], goal: str, *, all_ports: bool, path: str) -> list[str]:
        ports = {name: self._settings.ports[name].port for name in names}
        without = [name for name, port in ports.items() if port not in self._captures.settings]
        if without and not all_ports:
            raise OtgError([f"{path}.port_names: no capture is configured for {', '.join(without)}"])
        chosen_ports = [port for port in ports.values() if port in self._captures.settings]
        if goal == "stop":
            return self._captures.stop(chosen_ports)
        self._captures.start(chosen_ports)
        return []

    def _protocols(self, goal: str) -> list[str]:
        if goal == "stop":
            self._stations.stop()
            return []
        warnings = self._stations.start()
        self._find_gateways(self._config)
        return warnings

    def _set_control_action(self, _action: Message) -> Message:
        raise OtgError(["choice: no action is supported; this tester has no control protocols"])

    # Readings

    def _get_metrics(self, request: Message) -> dict[str, Any]:
        return metrics_of(
            request,
            self._tester,
            self._flows,
            dict(self._settings.ports),
            self._captures.running,
            self._captures.settings,
        )

    def _get_states(self, request: Message) -> Message:
        return self._stations.states(request)

    def _get_capture(self, request: Message) -> bytes:
        port = self._settings.ports.get(request.port_name)
        if port is None:
            known = ", ".join(self._settings.ports) or "none"
            raise OtgError(
                [f"port_name: {request.port_name!r} is no port of the configuration; it has {known}"]
            )
        if port.port in self._captures.running:
            self._flows.warnings += self._captures.stop([port.port])
        if port.port not in self._captures.files:
            raise OtgError([f"port_name: no capture was started on {request.port_name!r}"])
        return self._captures.files[port.port]

    def _warning(self, warnings: list[str]) -> dict[str, Any]:
        """An answer with what the tester has to say, and what it had to say before without being asked."""
        told = [*warnings, *self._flows.take_warnings()]
        for warning in told:
            self._told(f"warning: {one_line(warning)}")
        return {"warnings": told}


def _starts_devices(config: Message) -> bool:
    options = config.options.protocol_options
    return bool(options.auto_start_all) if options.HasField("auto_start_all") else True


def _required(message: Message, path: str, allowed: Collection[str]) -> str:
    choice = chosen(message, "")
    if not choice:
        place = f"{path}.choice" if path else "choice"
        raise OtgError([f"{place}: is required; give one of {', '.join(sorted(allowed))}"])
    return choice


def _version() -> Message:
    answer = message_class("Version")()
    answer.api_spec_version = SPECIFICATIONS
    with suppress(PackageNotFoundError):
        answer.app_version = package_version(_PACKAGE)
    return answer
