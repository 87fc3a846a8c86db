"""Reading YAML files into checked models, with errors a person can act on."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator
from pydantic.config import JsonDict

from sites.places import Lines, Place
from sites.problems import problems
from sites.yaml_loader import YamlError, load

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
# Editors that check a file by its schema show these words too.
NAME_WORDS: JsonDict = {
    "patternErrorMessage": "must be of letters, digits, '.', '_' and '-', and begin with a letter or digit"
}
_MOST_PROBLEMS = 3
_LARGEST_BYTES = 8 << 20


class FileError(ValueError):
    """A YAML file cannot be read, or does not say what it should; each line names a place, mostly one."""


def true_is_no_number(value: object) -> object:
    """Return a value that is to be a whole number; raises `ValueError` for ``yes``, which would be 1."""
    if isinstance(value, bool):
        raise ValueError("must be a whole number")  # noqa: TRY004  pydantic reports it with its place
    return value


class Model(BaseModel):
    """Base of everything read from a file: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: object, info: ValidationInfo) -> object:
        """Refuse ``instances: yes``, which would quietly be 1."""
        is_number = cls.model_fields[str(info.field_name)].annotation is int
        return true_is_no_number(value) if is_number else value


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


def parse(text: str, model: type[Checked], source: str) -> Checked:
    """Return the model that a YAML text describes.

    Raises
    ------
    FileError
        With file, place and reason of the first few things that are wrong, a line each; near names are
        suggested.
    """
    lines = Lines(text)

    def where(place: Place) -> str:
        return f"{source}: {lines.of(place)}".removesuffix(": ")

    return validate(parse_mapping(text, source), model, source, where)


def parse_mapping(text: str, source: str) -> dict[Any, Any]:
    """Return the mapping that a YAML text holds; raises `FileError` with line and column."""
    try:
        data = load(text)
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
    where: Callable[[tuple[str | int, ...]], str] | None = None,
) -> Checked:
    """Return the model of a file's content; raises `FileError` as `parse` does.

    `where` names the file that the value at a place is from, where that may be another than `source`.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        lines, more = problems(error, model, data, _MOST_PROBLEMS, where or (lambda _: source))
        last = [f"{source}: and {more} more"] if more else []
        raise FileError("\n".join([*lines, *last])) from None
