# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for fields that change from frame to frame."""

from __future__ import annotations

from dataclasses import replace

from robot.api.deco import keyword

from ...errors import PlanError
from ...files.field_values import draw, field_values
from ...model.editor import Editor, FieldPath, Mode, RandomField, RandomMask, RandomPrefix, Sweep
from ...model.units.names import NO_NAMES, Names
from ...planning.editor import default_seed
from ...running.suite import Suite
from .._component import component


@component
class Editors:
    """Fields that change from frame to frame."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def set_field_sweep(
        self,
        name: str,
        field: FieldPath,
        first: str,
        last: str | None = None,
        step: str = "1",
        count: int | None = None,
        every: int = 1,
    ) -> None:
        """Changes a field in steps: ``first``, ``first + step``, … up to ``last``, and again.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field as in Scapy; ``IP[2].src`` is the second IP header's from outside |
        | ``first`` | the value of the first frame: a number, an address, a MAC address |
        | ``last`` | where it ends; it is reached if the steps meet it |
        | ``step`` | ``5``, ``-1``, or written like the values: ``0.0.1.0`` |
        | ``count`` | instead of ``last``: so many values, beyond the field's highest from 0 again |
        | ``every`` | how many consecutive frames share a value |

        Any field can change that is a number or an address, in custom headers and in tunnels too:
        ``UDP.dport``, ``VXLAN.vni``, ``VLAN[2].vlan`` (the second tag from outside), ``MyHeader.id``. All
        checksums that follow stay right; one that the author has given stays as given. Refused are fields
        that follow from the frame (lengths, checksums), those that tell what header follows, and all under
        RoCEv2's ICRC. Of an IPv6 address at most 64 bits next to each other change.

        Frame k is the same in every run, and the plan tells all of them. The tester answers for each source
        and destination address of the outermost IP header, up to 4,096 of each; of more, and of addresses
        outside the port's network, the device needs a route.

        | `Set Field Sweep` | north | UDP.dport | 1024 | 65535 |
        | `Set Field Sweep` | north | IP.dst | 10.0.0.0 | 10.0.255.0 | step=0.0.1.0 |
        | `Set Field Sweep` | north | VXLAN.vni | 100 | count=1000 |
        """
        self._edit(name, field, Sweep(first, last or "", step, count), every)

    @keyword(tags=["stream"])
    def set_field_values(
        self, name: str, field: FieldPath, *values: str, file: str | None = None, every: int = 1
    ) -> None:
        """Gives a field one value after the other, and again.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field, as in `Set Field Sweep` |
        | ``values`` | the values in the order of sending; at most 1,048,576 |
        | ``file`` | instead of values: a text file with a value on each line and comments behind ``#`` |
        | ``every`` | how many consecutive frames share a value |

        | `Set Field Values` | north | IP.dst | 10.0.0.1 | 10.0.0.7 | 10.0.3.9 |
        | `Set Field Values` | north | UDP.dport | file=${CURDIR}/ports.txt |
        """
        self._edit(name, field, field_values(values, file or ""), every)

    @keyword(tags=["stream"])
    def set_field_random(
        self,
        name: str,
        field: FieldPath,
        first: str | None = None,
        last: str | None = None,
        mask: str | None = None,
        prefix: RandomPrefix | None = None,
        every: int = 1,
        seed: int | None = None,
    ) -> None:
        """Gives a field random values: from a range or a network, all equally likely, or of some of its bits.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field, as in `Set Field Sweep` |
        | ``first``, ``last`` | the range; any value, if both are left out |
        | ``mask`` | instead of a range: the bits that change, written like a value; the others stay |
        | ``prefix`` | instead of a range: a network, any address of which is sent; of IPv6 /64 or longer |
        | ``every`` | how many consecutive frames share a value |
        | ``seed`` | 0 to 2^64 - 1; if left out it follows from the library's, the stream and the field |

        Equal seeds send equal frames, also in different streams.

        | `Set Field Random` | north | UDP.sport | 1024 | 65535 |
        | `Set Field Random` | north | Ether.src | mask=00:00:00:ff:ff:ff | seed=7 |
        | `Set Field Random` | north | IP.src | prefix=10.0.0.0/16 |
        """
        given = [
            word
            for word, value in (("a range", first or last), ("a mask", mask), ("a prefix", prefix))
            if value
        ]
        if len(given) > 1:
            raise PlanError(f"stream {name!r}: {field}: {' and '.join(given)}; give one of them")
        mode: Mode = prefix or (RandomMask(mask) if mask else RandomField(first or "", last or ""))
        self._edit(name, field, mode, every, seed)

    @keyword(tags=["stream"])
    def set_field_distribution(
        self,
        name: str,
        field: FieldPath,
        *,
        file: str | None = None,
        every: int = 1,
        seed: int | None = None,
        **shares: str,
    ) -> None:
        """Gives a field values at random, each as often as its share says.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field, as in `Set Field Sweep` |
        | ``file`` | instead of shares: a distribution function, lines of ``value, probability`` up to 1 |
        | ``every`` | how many consecutive frames share a value |
        | ``seed`` | a seed, as in `Set Field Random` |
        | ``shares`` | the share of each value: in ``%``, together 100 %, or as weights |

        | `Set Field Distribution` | north | IP.tos | 0=70 % | 184=30 % |
        | `Set Field Distribution` | north | UDP.dport | 53=1 | 80=2 | 443=7 |
        """
        self._edit(name, field, draw(shares, file or ""), every, seed)

    @keyword(tags=["stream"])
    def set_field_cascade(self, name: str, *fields: FieldPath, shared_with: Names = NO_NAMES) -> None:
        """Lets a field move when the one before it has gone through its values: all combinations are sent.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending |
        | ``fields`` | two or more fields that change already, all but the last not at random |
        | ``shared_with`` | names of other streams, in a list or with commas, whose same fields go in step |

        Without it, fields move together. Streams that share a cascade have equal fields in frames of equal
        number, so at equal rates in step. Each cascade of a stream replaces those of the same fields.

        | `Set Field Sweep` | north | IP.src | 10.0.0.1 | 10.0.0.250 |
        | `Set Field Sweep` | north | UDP.dport | 1024 | 2023 |
        | `Set Field Cascade` | north | IP.src | UDP.dport | # 250,000 flows |
        """
        if len(fields) < 2:
            raise PlanError(f"stream {name!r}: a cascade of {len(fields)} fields; give two or more")
        leader, *followers = self._suite.chosen([name, *shared_with])
        unedited = next((path for path in fields if path not in {e.path for e in leader.editors}), None)
        if unedited:
            raise PlanError(f"stream {name!r}: {unedited} does not change yet; sweep it or give it values")
        leading = [editor for editor in leader.editors if editor.path in fields]
        if followers:
            seed = self._suite.seed
            leading = [
                replace(editor, seed=default_seed(seed, name, editor.path)) if editor.seed is None else editor
                for editor in leading
            ]
        self._suite.put(*(one.cascading(fields, leading) for one in (leader, *followers)))

    @keyword(tags=["stream"])
    def reset_field(self, name: str, field: FieldPath) -> None:
        """Lets a field that changed from frame to frame be what the headers say again.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending |
        | ``field`` | header and field, as they were written when the field was changed |

        | `Reset Field` | north | UDP.dport |
        """
        stream = self._suite.stream(name)
        if field not in {editor.path for editor in stream.editors}:
            known = ", ".join(str(editor.path) for editor in stream.editors) or "nothing"
            raise PlanError(f"stream {name!r}: {field} does not change; {known} does")
        self._suite.put(stream.without_editor(field))

    @keyword(tags=["stream"])
    def set_flow_counting(self, name: str) -> None:
        """Counts each combination of the values of a stream's fields by itself.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending and whose fields are not random |

        Frame k is of flow k modulo their number, at most 4,194,304 of all streams.

        | `Set Flow Counting` | north |
        """
        self._suite.change(name, count_flows=True)

    @keyword(tags=["stream"])
    def set_random_ports(self, name: str, seed: int | None = None) -> None:
        """Gives the frames of a stream random ports, as RFC 4814 has it: 1024 to 65535 to 1 to 49151.

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream of UDP or TCP that is not sending |
        | ``seed`` | 0 to 2^64 - 1; if left out it follows from the library's, the stream and the field |

        Devices spread flows over processors and links by their ports. A stream with one pair of ports is
        one flow, and measures one of them; the number of flows is in each result. For other ranges take
        `Set Field Random`.

        | `Set Random Ports` | north |
        | `Find Throughput` | north |
        """
        stream = self._suite.stream(name)
        stack = stream.headers
        names = [header.name for header in stack.headers] if stack else ["UDP"]
        header = next((known for known in reversed(names) if known in ("UDP", "TCP", "SCTP")), None)
        if header is None:
            raise PlanError(f"stream {name!r} has no ports; its headers are {stack}")
        number = names.count(header)
        for field, first, last in (("sport", "1024", "65535"), ("dport", "1", "49151")):
            path = FieldPath(header, field, number)
            stream = stream.with_editor(Editor(path, RandomField(first, last), 1, seed))
        self._suite.put(stream)

    def _edit(self, name: str, field: FieldPath, mode: Mode, every: int, seed: int | None = None) -> None:
        stream = self._suite.stream(name)
        self._suite.put(stream.with_editor(Editor(field, mode, every, seed)))
