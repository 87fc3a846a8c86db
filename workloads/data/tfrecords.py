"""TFRecord files and the Example messages in them, without TensorFlow.

A record is its length (8 bytes, little-endian), the masked CRC-32C of those bytes, the payload, and
the masked CRC-32C of the payload. An Example is a protobuf message: a map from names to lists of
bytes, floats or integers. A file may be compressed with gzip as a whole.
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from workloads.description import DataError

Feature = list[bytes] | list[int] | list[float]

_HEADER = struct.Struct("<QI")
_CHECKSUM = struct.Struct("<I")
_MASK = 0xA282EAD8
_BYTES_LIST, _FLOAT_LIST, _INTEGER_LIST = 1, 2, 3
_VARINT, _FIXED_8, _DELIMITED, _FIXED_4 = 0, 1, 2, 5
_GZIP = b"\x1f\x8b\x08"
_ADVICE = "copy the file again from where it came"


def write_records(file: IO[bytes] | gzip.GzipFile, payloads: Iterable[bytes]) -> None:
    """Append records to an open file."""
    for payload in payloads:
        length = struct.pack("<Q", len(payload))
        file.write(length + _CHECKSUM.pack(_masked(length)))
        file.write(payload)
        file.write(_CHECKSUM.pack(_masked(payload)))


def read_records(path: Path, *, compressed: bool = False) -> Iterator[bytes]:
    """Yield the payload of every record, each checked against its checksums.

    Parameters
    ----------
    compressed
        The file may be compressed, which its first bytes tell; it is then decompressed as a whole.

    Raises
    ------
    DataError
        With file and record number, if a record is cut short or differs from its checksum, or the compressed
        file does.
    """
    with _opened(path, compressed) as (file, size):
        number = 0
        while header := file.read(_HEADER.size):
            number += 1
            if len(header) < _HEADER.size:
                raise _cut_short(path, number)
            length, checksum = _HEADER.unpack(header)
            if _masked(header[:8]) != checksum:
                raise _wrong_sum(path, number, "length")
            if file.tell() + length + _CHECKSUM.size > size:
                raise _cut_short(path, number)
            payload = file.read(length)
            if _masked(payload) != _CHECKSUM.unpack(file.read(_CHECKSUM.size))[0]:
                raise _wrong_sum(path, number, "payload")
            yield payload


def count_records(path: Path) -> int:
    """Return how many records a file has, from their lengths alone.

    Raises
    ------
    DataError
        If the file does not end where a record ends.
    """
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        offset = count = 0
        while offset < size:
            header = os.pread(file.fileno(), _HEADER.size, offset)
            count += 1
            if len(header) < _HEADER.size:
                raise _cut_short(path, count)
            offset += _HEADER.size + _HEADER.unpack(header)[0] + _CHECKSUM.size
        if offset > size:
            raise _cut_short(path, count)
    return count


def encode_example(features: Mapping[str, bytes | int | Sequence[float]]) -> bytes:
    """Return the Example message that gives every name one value, or several floats."""
    entries = []
    for name, value in features.items():
        if isinstance(value, bytes):
            one_list = _field(_BYTES_LIST, _field(1, value))
        elif not isinstance(value, int):
            one_list = _field(_FLOAT_LIST, _field(1, struct.pack(f"<{len(value)}f", *value)))
        else:
            one_list = _field(_INTEGER_LIST, _field(1, _varint(value)))
        entries.append(_field(1, _field(1, name.encode()) + _field(2, one_list)))
    return _field(1, b"".join(entries))


def decode_example(payload: bytes) -> dict[str, Feature]:
    """Return the lists of an Example, by name.

    Raises
    ------
    ValueError
        If `payload` is no such message.
    """
    found: dict[str, Feature] = {}
    for _, features in _messages(payload, 1):
        for _, entry in _messages(features, 1):
            parts = dict(_messages(entry, 1, 2))
            for kind, values in _messages(parts.get(2, b""), _BYTES_LIST, _FLOAT_LIST, _INTEGER_LIST):
                name = parts.get(1, b"").decode()
                if kind == _BYTES_LIST:
                    found[name] = [value for _, value in _messages(values, 1)]
                elif kind == _FLOAT_LIST:
                    found[name] = _floats(values)
                else:
                    found[name] = _integers(values)
    return found


@contextmanager
def _opened(path: Path, compressed: bool) -> Iterator[tuple[IO[bytes], int]]:
    """Open a file; yield it, decompressed where it may be and is compressed, with its size."""
    with path.open("rb") as file:
        # A plain file begins with these bytes where its first record has 559,903 bytes, or 2²⁴ more.
        if not compressed or file.peek(3)[:3] != _GZIP:
            yield file, os.fstat(file.fileno()).st_size
            return
        try:
            content = gzip.decompress(file.read())
        except EOFError:
            raise DataError(f"{path}: the compressed file is cut short; {_ADVICE}") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(f"{path}: the compressed file is damaged ({error}); {_ADVICE}") from error
    yield io.BytesIO(content), len(content)


def _masked(content: bytes) -> int:
    from google_crc32c import value

    checksum: int = value(content)
    return ((checksum >> 15 | checksum << 17) + _MASK) & 0xFFFFFFFF


def _cut_short(path: Path, number: int) -> DataError:
    return DataError(f"{path}: record {number} is cut short; {_ADVICE}")


def _wrong_sum(path: Path, number: int, part: str) -> DataError:
    return DataError(f"{path}: record {number}: its {part} does not match its checksum; {_ADVICE}")


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _DELIMITED) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers are sent as 64-bit complements
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _read_varint(content: bytes, position: int) -> tuple[int, int]:
    """Return the number at a position and the position after it."""
    value = shift = 0
    while True:
        if position >= len(content) or shift > 63:
            raise ValueError("a number is cut short")
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def _fields(content: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield number and content of every field of a message."""
    position = 0
    while position < len(content):
        key, position = _read_varint(content, position)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, position = _read_varint(content, position)
            yield number, value
            continue
        if kind == _DELIMITED:
            length, position = _read_varint(content, position)
        elif kind in (_FIXED_4, _FIXED_8):
            length = 4 if kind == _FIXED_4 else 8
        else:
            raise ValueError(f"a field has the unknown kind {kind}")
        if position + length > len(content):
            raise ValueError("a field is cut short")
        yield number, content[position : position + length]
        position += length


def _messages(content: bytes, *numbers: int) -> Iterator[tuple[int, bytes]]:
    """Yield the fields with one of `numbers`, all of which hold bytes."""
    for number, value in _fields(content):
        if number in numbers:
            if isinstance(value, int):
                raise ValueError(f"field {number} holds a number")
            yield number, value


def _floats(content: bytes) -> list[float]:
    """Return a list of floats, packed or not."""
    packed = b"".join(value for _, value in _messages(content, 1))
    if len(packed) % 4:
        raise ValueError("a list of floats is cut short")
    return [value for (value,) in struct.iter_unpack("<f", packed)]


def _integers(content: bytes) -> list[int]:
    """Return a list of integers, packed or not."""
    found = []
    for number, value in _fields(content):
        if number != 1:
            continue
        if isinstance(value, int):
            found.append(value)
            continue
        position = 0
        while position < len(value):
            one, position = _read_varint(value, position)
            found.append(one)
    return [value - (1 << 64) if value >> 63 else value for value in found]
