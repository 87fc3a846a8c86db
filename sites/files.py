"""Reading YAML files into checked models, with errors a person can act on."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator, model_validator

from sites.places import Lines, Place
from sites.problems import problems
from sites.yaml_loader import YamlError, load

_MOST_PROBLEMS = 3
_LARGEST_BYTES = 8 << 20


class FileError(ValueError):
    """A YAML file cannot be read, or does not say what it should; each line names a place, mostly one."""


class Model(BaseModel):
    """Base of everything read from a file: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    renamed: ClassVar[Mapping[str, str]] = {}
    """Former names of keys, which are still accepted, and their names now."""

    @model_validator(mode="before")
    @classmethod
    def _take_former_names(cls, data: object, info: ValidationInfo) -> object:
        """Rename keys; a list that is the context of the validation takes a note on each."""
        former = [key for key in cls.renamed if isinstance(data, dict) and key in data]
        if not isinstance(data, dict) or not former:
            return data
        for key in former:
            if cls.renamed[key] in data:
                raise ValueError(f"{key} is the former name of {cls.renamed[key]}, and both are given")
            if isinstance(info.context, list):
                info.context.append(f"`{key}` is now `{cls.renamed[key]}`")
        return {cls.renamed.get(key, key): value for key, value in data.items()}

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: object, info: ValidationInfo) -> object:
        """Refuse ``instances: yes``, which would quietly be 1."""
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation is int:
            raise ValueError("must be a whole number")
        return value


Checked = TypeVar("Checked", bound=BaseModel)


def read_text(path: Path, kind: str) -> str:
    """Return a file's text.

    Raises
    ------
    FileError
        If it does not exist, is no regular file, is not text, or is larger than 8 MiB.
    """
    try:
        if path.is_fifo() or path.is_socket() or path.is_char_device():  # of which reading may never end
            raise FileError(f"{kind} file {path} is not a regular file; name one that is")
        with path.open("rb") as stream:
            content = stream.read(_LARGEST_BYTES + 1)
        if len(content) > _LARGEST_BYTES:
            raise FileError(
                f"{kind} file {path} is larger than {_LARGEST_BYTES >> 20} MiB; write fewer entries, or "
                "several files"
            )
        return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8").read()
    except FileNotFoundError:
        raise FileError(f"{kind} file {path} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{kind} file {path} cannot be read: {error}") from None


def parse(
    text: str, model: type[Checked], source: str, notes: list[str] | None = None, *, stored: bool = False
) -> Checked:
    """Return the model that a YAML text describes.

    Parameters
    ----------
    source
        Name of the file, for messages.
    notes
        Takes a note on each key that is written by its former name.
    stored
        The text is one that a ledger keeps. Where it does not follow the model as YAML 1.2, it is read as
        YAML 1.1, which former versions of this project read.

    Raises
    ------
    FileError
        With file, place and reason of the first few things that are wrong, a line each; near names are
        suggested.
    """
    lines = Lines(text)

    def where(place: Place) -> str:
        return f"{source}: {lines.of(place)}".removesuffix(": ")

    try:
        return validate(parse_mapping(text, source), model, source, notes, where)
    except FileError:
        if not stored:
            raise
        with suppress(FileError):
            return validate(parse_mapping(text, source, old=True), model, source)
        raise


def parse_mapping(text: str, source: str, *, old: bool = False) -> dict[Any, Any]:
    """Return the mapping that a YAML text holds; raises `FileError` with line and column.

    `old` reads it as YAML 1.1.
    """
    try:
        data = load(text, old=old)
    except YamlError as error:
        raise FileError(f"{source}: {error}") from None
    if data is None:
        raise FileError(f"{source}: is empty; it must be a mapping of keys to values")
    if not isinstance(data, dict):
        raise FileError(f"{source}: must be a mapping of keys to values")
    return data


def validate(
    data: dict[Any, Any],
    model: type[Checked],
    source: str,
    notes: list[str] | None = None,
    where: Callable[[tuple[str | int, ...]], str] | None = None,
) -> Checked:
    """Return the model of a file's content; raises `FileError` as `parse` does.

    `where` names the file that the value at a place is from, where that may be another than `source`.
    """
    try:
        return model.model_validate(data, context=notes)
    except ValidationError as error:
        lines, more = problems(error, model, data, _MOST_PROBLEMS, where or (lambda _: source))
        last = [f"{source}: and {more} more"] if more else []
        raise FileError("\n".join([*lines, *last])) from None
