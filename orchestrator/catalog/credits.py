"""Licence, author and publisher that a campaign file states for its evidence."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from sites import FileError, Model, parse_mapping


def _named(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class Organization(Model):
    """An organization; a text alone is its name."""

    name: str = Field(min_length=1, description="Its name.")
    url: str | None = Field(None, description="Its address, such as https://ror.org/….", pattern="^https?://")


OrganizationOrName = Annotated[Organization, BeforeValidator(_named)]


class Author(Model):
    """A person; a text alone is the name."""

    name: str = Field(min_length=1, description="Name of the person.")
    url: str | None = Field(None, description="Address, such as https://orcid.org/….", pattern="^https?://")
    affiliation: OrganizationOrName | None = Field(None, description="Organization of the person.")


License = Annotated[
    str | None,
    Field(
        min_length=1,
        description="Licence of the campaign's packages: an SPDX name, such as CC-BY-4.0, or an address. By "
        "default a package says that none is stated.",
    ),
]
AuthorOrNone = Annotated[
    Author | None,
    BeforeValidator(_named),
    Field(description="Person who answers for the campaign: a name, or name, url and affiliation."),
]
PublisherOrNone = Annotated[
    Organization | None,
    BeforeValidator(_named),
    Field(description="Organization that publishes the campaign: a name, or name and url."),
]


class _Credits(Model):
    license: License = None
    author: AuthorOrNone = None
    publisher: PublisherOrNone = None


def stated_credits(text: str) -> dict[str, Any]:
    """Return the credits of a campaign's stored text, JSON-ready; None for what it does not state."""
    try:
        given = parse_mapping(text, "campaign")
        found = _Credits.model_validate({key: given.get(key) for key in _Credits.model_fields})
    except (FileError, ValidationError):  # a package may hold any text; its verification says so elsewhere
        found = _Credits()
    return found.model_dump()
