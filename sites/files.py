"""Reading YAML files into checked models, with errors a person can act on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator, model_validator

from sites.problems import problems

_MOST_PROBLEMS = 3
# What PyYAML lets through of values that are not what they look like: 2026-02-30, 0b_, !!bool perhaps.
_NO_VALUE = (ValueError, ArithmeticError, LookupError, AttributeError)
_KINDS = {"int": "whole number", "float": "number", "bool": "true or false", "timestamp": "date"}


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


class _Loader(yaml.SafeLoader):
    """Safe loader that also refuses a key given twice, where plain YAML keeps the last one silently.

    A value that only looks like a number or a date has its place in the file told, as all else has.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            found = super().construct_object(node, deep)
            if isinstance(found, int):
                float(found)  # one that is too large for that is no number of anything
        except _NO_VALUE as error:
            kind = _KINDS.get(node.tag.rpartition(":")[2], "value")
            said = f"this is not the {kind} that it looks like; put it in quotes if it is a text"
            raise yaml.constructor.ConstructorError(None, None, said, node.start_mark) from error
        return found

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is a list or a mapping; it must be a text", key_node.start_mark
                )
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_text(path: Path, kind: str) -> str:
    """Return a file's text.

    Raises
    ------
    FileError
        If it does not exist or is not text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"{kind} file {path} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{kind} file {path} cannot be read: {error}") from None


def parse(text: str, model: type[Checked], source: str, notes: list[str] | None = None) -> Checked:
    """Return the model that a YAML text describes.

    Parameters
    ----------
    source
        Name of the file, for messages.
    notes
        Takes a note on each key that is written by its former name.

    Raises
    ------
    FileError
        With file, place and reason of the first few things that are wrong, a line each; near names are
        suggested.
    """
    try:
        # The loader is a SafeLoader.
        data = yaml.load(text, Loader=_Loader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise FileError(f"{source}:{place} {error.problem}") from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # the latter of "\\UFFFFFFFF"
        raise FileError(f"{source}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise FileError(f"{source}: nested too deeply") from None
    if data is None:
        raise FileError(f"{source}: is empty; it must be a mapping of keys to values")
    if not isinstance(data, dict):
        raise FileError(f"{source}: must be a mapping of keys to values")
    try:
        return model.model_validate(data, context=notes)
    except ValidationError as error:
        lines, more = problems(error, model, data, _MOST_PROBLEMS)
        last = [f"and {more} more"] if more else []
        raise FileError("\n".join(f"{source}: {line}" for line in [*lines, *last])) from None
