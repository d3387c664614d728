# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The files that a guest is started from, a kernel and a first file system, kept in the user's cache."""

from __future__ import annotations

import hashlib
import lzma
import stat
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...files.paths import user_cache
from .module_files import read_module
from .parts import Parts

_SECTOR = 512
_SETUP_SECTORS, _PAYLOAD = 0x1F1, 0x248  # Documentation/arch/x86/boot.rst
_XZ, _GZIP = b"\xfd7zXZ\0", b"\x1f\x8b\x08"
_WITH_GZIP_HEADER = 31
_ELF = b"\x7fELF"

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"

_KEPT = 6  # files in the cache

# Channels are serial ports of virtio. A line of one is a command in base64; the answer is a line with its
# status and the sizes of its two outputs, and then these. A line of `control`, which is there last, is a
# signal and the channel whose command gets it.
_INIT = """\
#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /run /tmp /sbin /usr/bin /usr/sbin
export PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mount -t devtmpfs devtmpfs /dev
/bin/busybox --install -s /bin
failed() {{ echo "$*"; poweroff -f; }}
for module in /modules/*; do insmod $module || failed "cannot load $module"; done
until grep -qx control /sys/class/virtio-ports/*/name; do sleep 0.1; done
for port in /sys/class/virtio-ports/*; do read name <$port/name; ln -s ${{port##*/}} /dev/$name; done
serve() {{
  exec 3<>/dev/channel$1
  while read -r line <&3; do
    echo $line | base64 -d >/run/$1.command
    setsid sh /run/$1.command </dev/null >/run/$1.out 2>/run/$1.err 3>&- &
    echo $! >/run/$1.session
    wait $!
    status=$?
    rm /run/$1.session
    echo $status $(stat -c %s /run/$1.out /run/$1.err) >&3
    cat /run/$1.out /run/$1.err >&3
  done
}}
ip link set lo up
{set_up}
for port in /dev/channel*; do serve ${{port#/dev/channel}} & done
exec 3<>/dev/control
echo ready >&3
while read -r signal channel <&3; do
  read session </run/$channel.session && kill -$signal -$session
done
poweroff -f
"""


@dataclass(frozen=True)
class Image:
    """Files that a guest is started from."""

    kernel: Path
    file_system: Path


def image_of(parts: Parts, set_up: str) -> Image:
    """The image with these parts; what is in the cache already is not made again.

    `set_up` is shell, which the guest runs when its modules are loaded; what has to succeed there is followed
    by `|| failed REASON`. Variables on the kernel's command line are variables there.
    """
    init = _INIT.format(set_up=set_up)
    files = (*parts.modules, *parts.programs.values(), *parts.files)
    return Image(
        kernel=_kept("kernel", "", (parts.kernel,), lambda: _kernel(parts.kernel)),
        file_system=_kept("files", init, files, lambda: _file_system(parts, init)),
    )


def _kernel(image: Path) -> bytes:
    packed = image.read_bytes()
    return unpacked(packed) or packed


def _file_system(parts: Parts, init: str) -> bytes:
    files = {str(path): path.read_bytes() for path in parts.files}
    files |= {f"/usr/bin/{name}": path.read_bytes() for name, path in parts.programs.items()}
    files["/bin/busybox"] = files.pop("/usr/bin/busybox")
    files["/init"] = init.encode()
    for number, path in enumerate(parts.modules):
        files[f"/modules/{number:02}-{path.name.partition('.ko')[0]}.ko"] = read_module(path)
    return archive(files)


def _kept(kind: str, text: str, sources: Iterable[Path], make: Callable[[], bytes]) -> Path:
    """The file in the cache that was made of a text and of these files, as they are now."""
    key = hashlib.sha256(text.encode())
    for path in sources:
        status = path.stat()
        key.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    folder = user_cache() / "guests"
    file = folder / f"{kind}-{key.hexdigest()[:16]}"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as made:
            made.write(make())
        Path(made.name).replace(file)  # whole, whoever else makes it meanwhile
        newest = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime_ns, reverse=True)
        for older in newest[_KEPT:]:
            older.unlink(missing_ok=True)
    return file


def archive(files: Mapping[str, bytes]) -> bytes:
    """An archive of executable files by their absolute paths, with the folders that they are in."""
    folders = sorted({str(folder) for path in files for folder in PurePosixPath(path).parents} - {"/"})
    entries = [(folder, stat.S_IFDIR | 0o755, b"") for folder in folders]
    entries += [(path, stat.S_IFREG | 0o755, content) for path, content in sorted(files.items())]
    packed = [_entry(number, path[1:], mode, body) for number, (path, mode, body) in enumerate(entries, 1)]
    return b"".join((*packed, _entry(0, _TRAILER, 0, b"")))


def _entry(number: int, name: str, mode: int, content: bytes) -> bytes:
    """A header of thirteen hexadecimal numbers, the name and the content, both padded to four bytes."""
    named = name.encode() + b"\0"
    numbers = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(named), 0)
    header = _MAGIC + b"".join(b"%08X" % value for value in numbers) + named
    return _padded(header) + _padded(content)


def _padded(octets: bytes) -> bytes:
    return octets + bytes(-len(octets) % 4)


def unpacked(image: bytes) -> bytes | None:
    """The kernel as an ELF file, which QEMU starts as it is; None where it is packed in another way.

    A guest without KVM would unpack its kernel itself. Measured with Debian's 6.1: QEMU then took 7.1 s of
    CPU until its guest was ready, and 3.5 s with the unpacked one.
    """
    if len(image) < _PAYLOAD + 8:
        return None
    begin, length = struct.unpack_from("<II", image, _PAYLOAD)
    begin += (image[_SETUP_SECTORS] + 1) * _SECTOR
    payload = image[begin : begin + length]
    if payload.startswith(_XZ):
        kernel = lzma.LZMADecompressor().decompress(payload)
    elif payload.startswith(_GZIP):
        kernel = zlib.decompressobj(_WITH_GZIP_HEADER).decompress(payload)
    else:
        return None
    return kernel if kernel.startswith(_ELF) else None
