"""Loading YAML 1.2 texts: one document, no key given twice, bounded depth and expansion.

Events come from ruamel.yaml: from its C parser where ``ruamel.yaml.clib`` is installed (8,000 lines in
0.05 s), else from its Python parser (about 10 times slower). Both end a line, and with it a comment, at
U+0085, U+2028 and U+2029, as YAML 1.1 does and YAML 1.2 does not; texts with them are refused.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_MAX_DEPTH = 100
_MAX_VALUES = 1_000_000  # with every alias counted as what it stands for
_TAG = "tag:yaml.org,2002:"
_INT, _FLOAT, _BOOL, _NULL, _STR = (f"{_TAG}{kind}" for kind in ("int", "float", "bool", "null", "str"))
_KINDS = {_INT: "whole number", _FLOAT: "number", _BOOL: "true or false", _NULL: "empty value"}
_CONTAINERS = {None, "!", f"{_TAG}map", f"{_TAG}seq"}

_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_PLAIN_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_PLAIN_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_OLD_BREAK = re.compile("[\x85\u2028\u2029]")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")


class YamlError(ValueError):
    """A text is not YAML that can be read; the message is one line, with line and column where known."""

    def __init__(self, problem: str, mark: Any = None) -> None:
        place = f"line {mark.line + 1}, column {mark.column + 1} " if mark else ""
        super().__init__(place + " ".join(problem.split()))


def load(text: str) -> Any:
    """Return what a YAML text holds: mappings, lists, texts, numbers, booleans, None.

    Parameters
    ----------
    text
        One document. Merge keys (``<<``) and anchors work.

    Raises
    ------
    YamlError
        If the text is no YAML, gives a key twice, is nested too deeply, or expands to too many values.
    """
    if broken := _OLD_BREAK.search(text):
        line = text.count("\n", 0, broken.start()) + 1
        code = f"{ord(broken[0]):04x}"
        raise YamlError(f'line {line} has the character U+{code.upper()}: write it as "\\u{code}" in quotes')
    try:
        return _Builder(_events(text, pure=False)).document()
    except YamlError:
        raise
    except Exception:  # noqa: BLE001  the Python parser's messages and places are the better ones
        with _worded():
            return _Builder(_events(text, pure=True)).document()


@contextmanager
def _worded() -> Iterator[None]:
    """Raise errors of the parser as `YamlError`."""
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        yield
    except YamlError:
        raise
    except MarkedYAMLError as error:
        raise YamlError(str(error.problem), error.problem_mark or error.context_mark) from None
    except YAMLError as error:
        raise YamlError(str(error)) from None
    except RecursionError:
        raise YamlError("nested too deeply") from None
    except (ValueError, OverflowError) as error:  # such as of "\\UFFFFFFFF"
        raise YamlError(str(error)) from None


def _events(text: str, *, pure: bool) -> Iterator[Any]:
    from ruamel.yaml import YAML

    events: Iterator[Any] = YAML(typ="safe", pure=pure).parse(io.StringIO(text))
    return events


class _Builder:
    """Builds the document from the parser's events."""

    def __init__(self, events: Iterator[Any]) -> None:
        from ruamel.yaml import events as kinds

        self._events = events
        self._anchors: dict[str, tuple[Any, int] | None] = {}
        self._values = 0
        self._scalar, self._alias = kinds.ScalarEvent, kinds.AliasEvent
        self._mapping, self._mapping_end = kinds.MappingStartEvent, kinds.MappingEndEvent
        self._list_end, self._stream_end = kinds.SequenceEndEvent, kinds.StreamEndEvent

    def document(self) -> Any:
        next(self._events)  # start of the stream
        if isinstance(next(self._events), self._stream_end):
            return None
        value = self._value(next(self._events), 0)
        next(self._events)  # end of the document
        event = next(self._events)
        if not isinstance(event, self._stream_end):
            raise YamlError("a second document begins here; a file holds one", event.start_mark)
        return value

    def _value(self, event: Any, depth: int) -> Any:
        if isinstance(event, self._alias):
            return self._anchored(event)
        self._count(1, event)
        before = self._values
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        if isinstance(event, self._scalar):
            value = self._scalar_value(event)
        else:
            if depth >= _MAX_DEPTH:
                raise YamlError("nested too deeply", event.start_mark)
            if event.tag not in _CONTAINERS:
                raise _unknown_tag(event)
            is_mapping = isinstance(event, self._mapping)
            value = self._mapping_value(depth + 1) if is_mapping else self._list_value(depth + 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, self._values - before + 1)
        return value

    def _anchored(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            raise YamlError(f"found undefined alias {event.anchor!r}", event.start_mark)
        found = self._anchors[event.anchor]
        if found is None:
            raise YamlError(f"alias {event.anchor!r} stands inside of what it names", event.start_mark)
        value, size = found
        self._count(size, event)
        return value

    def _count(self, number: int, event: Any) -> None:
        self._values += number
        if self._values > _MAX_VALUES:
            raise YamlError(f"more than {_MAX_VALUES:,} values, aliases counted in full", event.start_mark)

    def _scalar_value(self, event: Any) -> Any:
        tag, text = event.tag, event.value
        if tag is None and not event.implicit[0]:
            return text  # quoted, or a block of text
        if tag in ("!", _STR):
            return text
        if tag is not None and tag not in _KINDS:
            raise _unknown_tag(event)
        value = _resolve(text, event.start_mark)
        if tag is not None and not isinstance(value, _TYPES[tag]):
            raise _no_such_value(_KINDS[tag], event.start_mark)
        return value

    def _list_value(self, depth: int) -> list[Any]:
        found = []
        while not isinstance(event := next(self._events), self._list_end):
            found.append(self._value(event, depth))
        return found

    def _mapping_value(self, depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        merged: list[Mapping[Any, Any]] | None = None
        while not isinstance(event := next(self._events), self._mapping_end):
            if isinstance(event, self._scalar) and event.value == "<<" and event.implicit[0]:
                if merged is not None:
                    raise YamlError("key '<<' is given twice", event.start_mark)
                inside = next(self._events)
                merged = _mappings(self._value(inside, depth), inside.start_mark)
                continue
            key = self._value(event, depth)
            if isinstance(key, dict | list):
                raise YamlError("a key is a list or a mapping; it must be a text", event.start_mark)
            if key in found:
                raise YamlError(f"key {key!r} is given twice", event.start_mark)
            found[key] = self._value(next(self._events), depth)
        for base in merged or ():
            found = found | {key: value for key, value in base.items() if key not in found}
        return found


_TYPES: dict[str, Any] = {_INT: int, _FLOAT: (int, float), _BOOL: bool, _NULL: type(None)}


def _mappings(value: object, mark: Any) -> list[Mapping[Any, Any]]:
    """Return the mappings that a merge key names; the first has precedence."""
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) for one in found):
        raise YamlError("a merge key (<<) takes a mapping, or a list of mappings", mark)
    return list(found)


def _unknown_tag(event: Any) -> YamlError:
    return YamlError(f"could not determine a constructor for the tag {event.tag!r}", event.start_mark)


def _no_such_value(kind: str, mark: Any) -> YamlError:
    return YamlError(f"this is not the {kind} that it looks like; put it in quotes if it is a text", mark)


def _number(convert: Callable[[], Any], kind: str, mark: Any) -> Any:
    try:
        value = convert()
        float(value)  # an integer beyond the range of floats is no number of anything
    except (ValueError, ArithmeticError):
        raise _no_such_value(kind, mark) from None
    return value


def _resolve(text: str, mark: Any) -> Any:
    """Return a plain value by the core schema of YAML 1.2."""
    if text in _NOTHING:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if not (text[0].isdigit() or text[0] in "-+."):
        return text
    if _PLAIN_INT.fullmatch(text):
        return _number(lambda: int(text, 0), _KINDS[_INT], mark)
    if _LEADING_ZERO.fullmatch(text):
        raise YamlError(
            f"{text} begins with 0: write {int(text)} for the decimal number, or 0o{text.lstrip('-+0') or 0} "
            "for the octal one, or put it in quotes if it is a text",
            mark,
        )
    if _PLAIN_FLOAT.fullmatch(text):
        return _number(lambda: _float(text), _KINDS[_FLOAT], mark)
    return text


def _float(text: str) -> float:
    return float(text.replace(".inf", "inf").replace(".nan", "nan") if text[-1] in "fn" else text)
