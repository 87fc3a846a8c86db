"""Containers that training processes run in."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator

from sites.files import Model


class Container(Model):
    """A container, and what starts it."""

    runtime: Literal["apptainer", "podman", "sarus", "shifter"] = Field(
        description="What starts the container on a node."
    )
    image: str = Field(
        description="Image that is on the nodes: the path of a .sif file (apptainer), or a name.",
    )
    command: str | None = Field(
        None,
        min_length=1,
        description="Command of the runtime, by default its name; singularity or podman-hpc take the same "
        "options as apptainer and podman.",
    )
    options: list[str] = Field(
        default_factory=list,
        description="Further options of apptainer exec, podman run, sarus run or shifter, one word each; "
        "they come last.",
    )
    bind: list[str] = Field(
        default_factory=list,
        description="Further paths of the node: SOURCE, SOURCE:TARGET, or SOURCE:TARGET:ro (default :rw).",
    )
    python: str = Field("python3", min_length=1, description="Python in the container.")
    build_file: str | None = Field(
        None,
        min_length=1,
        description="File that the image was built from, such as a Containerfile; its text goes into the "
        "ledger and into packages.",
    )

    @field_validator("image")
    @classmethod
    def _check_image(cls, value: str) -> str:
        if not value or value.startswith("-") or " " in value or not value.isprintable():
            raise ValueError("must be a name or a path without spaces")
        return value

    @field_validator("bind")
    @classmethod
    def _check_binds(cls, value: list[str]) -> list[str]:
        for one in value:
            source, _, rest = one.partition(":")
            target, _, mode = rest.partition(":")
            paths = [source, target] if ":" in one else [source]
            if mode not in ("", "ro", "rw") or not all(path.startswith(("/", "$")) for path in paths):
                raise ValueError(
                    f"must be SOURCE, SOURCE:TARGET, or SOURCE:TARGET:ro or :rw, with absolute paths: {one}"
                )
            if "," in one:
                raise ValueError(f"a path must have no comma, which separates paths: {one}")
        return value


def _mapping_or_none(value: Any) -> Any:
    if isinstance(value, str) and value != "none":
        raise ValueError("must be none, or a mapping such as {runtime: podman, image: NAME}")
    return value


ContainerOrNone = Annotated[Container | Literal["none"] | None, BeforeValidator(_mapping_or_none)]
"""A container; ``none`` for no container where another file asks for one; None where nothing is written."""
