"""Workload files: found by path, pinned by their hash, read as YAML with no key given twice."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Hashable
from typing import Any

from workloads.description import WorkloadError
from workloads.external.command import ExternalWorkload
from workloads.external.reference import path_of, read_bytes


def read(reference: str) -> ExternalWorkload:
    """Return the workload that a file describes. A pin is not checked: reports outlive changes.

    Raises
    ------
    WorkloadError
        In one line, with file and place of the first thing that is wrong.
    """
    from workloads.external.schema import workload_from

    path = path_of(reference)
    content = read_bytes(path)
    try:
        data = _parse(content)
        return workload_from(data, path, hashlib.sha256(content).hexdigest())
    except WorkloadError as error:
        raise WorkloadError(f"{path}: {error}") from None


def _parse(content: bytes) -> Any:
    try:
        import yaml
    except ModuleNotFoundError:
        raise WorkloadError(f"PyYAML is needed to read it, and {sys.executable} does not have it") from None

    class Loader(yaml.SafeLoader):
        """Safe loader that refuses a key given twice, where plain YAML keeps the last one silently."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
            seen = set()
            for key_node, _ in node.value:
                key = self.construct_object(key_node, deep=True)
                if not isinstance(key, Hashable):
                    problem = "a key is a list or a mapping; it must be a text"
                elif key in seen:
                    problem = f"key {key!r} is given twice"
                else:
                    seen.add(key)
                    continue
                raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(content.decode("utf-8"), Loader=Loader)  # noqa: S506  it is a SafeLoader
    except UnicodeDecodeError as error:
        raise WorkloadError(f"not UTF-8 text: {error}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise WorkloadError(f"{place}{error.problem}") from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise WorkloadError(" ".join(str(error).split())) from None
    except (AttributeError, IndexError, KeyError):  # `!!timestamp x`, `!!int ''`, `!!bool perhaps`
        raise WorkloadError("a value is not what its tag (!!...) says") from None
    except RecursionError:
        raise WorkloadError("nested too deeply") from None
