# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages of the Open Traffic Generator model, made from its description at run time.

The description is that of the newest snappi (`tools/otg_model.py`). It has a descriptor pool of its own: a
process that also imports snappi has two models that do not meet. `docs/adr` says why snappi is not installed.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Hashable
from functools import cache, lru_cache, wraps
from importlib.resources import files
from typing import Any, TypeVar, cast

from google.protobuf import descriptor_pb2, descriptor_pool, empty_pb2, message_factory
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, ServiceDescriptor

F = TypeVar("F", bound=Callable[..., Any])
Message = Any  # of a class that is made at run time
PACKAGE = "otg"


@cache
def pool() -> descriptor_pool.DescriptorPool:
    """The descriptor pool of the model."""
    made = descriptor_pool.DescriptorPool()
    for known in (descriptor_pb2, empty_pb2):
        made.AddSerializedFile(known.DESCRIPTOR.serialized_pb)
    made.AddSerializedFile(gzip.decompress(files(__package__).joinpath("model.binpb.gz").read_bytes()))
    return made


@cache
def version() -> str:
    """The version of the model."""
    return files(__package__).joinpath("model.version").read_text().strip()


def descriptor(name: str) -> Any:
    """The description of a message by its name in the model, such as FlowRate."""
    return pool().FindMessageTypeByName(f"{PACKAGE}.{name}")


@cache
def message_class(name: str) -> Any:
    """The class of a message."""
    return message_factory.GetMessageClass(descriptor(name))


@cache
def service() -> ServiceDescriptor:
    """The service with all calls."""
    return pool().FindServiceByName(f"{PACKAGE}.Openapi")


def is_list(field: FieldDescriptor) -> bool:
    """Whether a field holds several values."""
    return bool(field.is_repeated)


@cache
def values_of(field: FieldDescriptor) -> dict[str, int]:
    """The names of an enumeration's values, without the one that says nothing."""
    return {value.name: value.number for value in enumeration(field).values if value.number}


def enumeration(field: FieldDescriptor) -> EnumDescriptor:
    """The values that a field may have."""
    if field.enum_type is None:
        raise TypeError(f"{field.full_name} is no enumeration")
    return field.enum_type


def message_of(field: FieldDescriptor) -> Descriptor:
    """The message that has a field."""
    if field.containing_type is None:
        raise TypeError(f"{field.full_name} is no field of a message")
    return field.containing_type


@cache
def alternatives(message: Descriptor) -> frozenset[str]:
    """The fields of which `choice` names one; none where a message has no choice."""
    choice = message.fields_by_name.get("choice")
    return frozenset(set(values_of(choice)) & set(message.fields_by_name)) if choice else frozenset()


@cache
def names_of(message: Descriptor, field: str) -> dict[int, str]:
    """The names of an enumeration's values by their numbers."""
    return {value.number: value.name for value in enumeration(message.fields_by_name[field]).values}


def kept(name: str) -> Callable[[F], F]:
    """Keeps what a function made of messages of that name, and of other values beside them.

    Thousands of flows share most of their parts. For messages that are small; refusals are not kept.
    """

    def decorate(read: F) -> F:
        @lru_cache(maxsize=1024)
        def known(octets: bytes, *more: Hashable) -> Any:
            return read(message_class(name).FromString(octets), *more)

        @wraps(read)
        def reading(message: Message, *more: Hashable) -> Any:
            return known(message.SerializeToString(), *more)

        return cast(F, reading)

    return decorate


def chosen(message: Message, default: str) -> str:
    """The name of what was chosen: by `choice`, else by the only alternative that is given."""
    if message.HasField("choice"):
        return names_of(message.DESCRIPTOR, "choice")[message.choice]
    given = [
        field.name for field, _ in message.ListFields() if field.name in alternatives(message.DESCRIPTOR)
    ]
    return given[0] if given else default


def named(message: Message, field: str) -> str:
    """The name of an enumeration's value; empty if it is not given."""
    return names_of(message.DESCRIPTOR, field)[getattr(message, field)] if message.HasField(field) else ""


def given(message: Message, field: str, default: Any) -> Any:
    """The value of a field, or a default where it is not given."""
    return getattr(message, field) if message.HasField(field) else default
