"""Numbers with their nouns, and texts of others, as people read them."""

from __future__ import annotations

_SINGULAR = {"are": "is", "were": "was", "have": "has", "miss": "misses"}


def count_of(number: int, noun: str, verb: str = "") -> str:
    """Return a number with its noun, and a verb, as the number asks for.

    Parameters
    ----------
    noun, verb
        In the singular, and in the plural: ``count_of(1, "run", "are")`` is ``1 run is``.
    """
    one = number == 1
    ending = "" if one else "es" if noun.endswith("s") else "s"
    return " ".join([f"{number:,}", f"{noun}{ending}", *filter(None, [verb_of(number, verb)])])


def verb_of(number: int, verb: str) -> str:
    """Return a verb, which is given in the plural, as a number asks for."""
    return verb if number != 1 or not verb else _SINGULAR.get(verb, f"{verb}s")


def printable(text: str) -> str:
    """Return a text for a terminal: what would control it, or has no character, is written as its code."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one == "\t" else one.encode("unicode_escape").decode() for one in text
    )


def shortened(text: str, most: int) -> str:
    """Return a text with at most so many characters: of a longer one its first two thirds and its end."""
    if len(text) <= most:
        return text
    begin, end = 2 * most // 3, most // 3
    return f"{text[:begin]} … ({len(text) - begin - end:,} characters more) … {text[-end:]}"
