"""Numbers with their nouns, and texts of others, as people read them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

ALL_DIGITS, FEW_DIGITS = 6, 4
"""Significant digits of numbers with a fraction: for those who ask for precise ones, and for tables."""
_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
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


def counts_of(numbers: Mapping[str, int]) -> str:
    """Return numbers with what they count, sorted by name: ``1 failed, 2 lost``."""
    return ", ".join(f"{number:,} {what}" for what, number in sorted(numbers.items()))


def verb_of(number: int, verb: str) -> str:
    """Return a verb, which is given in the plural, as a number asks for."""
    return verb if number != 1 or not verb else _SINGULAR.get(verb, f"{verb}s")


def number_words(value: float, digits: int = FEW_DIGITS) -> str:
    """Return a number with so many significant digits; of few digits, a large one has no fraction."""
    if digits != ALL_DIGITS and 10 ** (digits - 1) <= abs(value) < 1e6:
        return f"{value:.0f}"  # a rounded count would read as another count
    rounded = float(f"{value:.{digits}g}") + 0.0  # no -0
    if 1e-4 <= abs(rounded) < 1e6 or rounded == 0:
        return f"{rounded:.10g}"
    return f"{rounded:.{digits}g}" if digits != ALL_DIGITS else f"{value:.4e}"


def rate_words(per_minute: float) -> str:
    """Return a rate, with two significant digits or more, and its unit."""
    return f"{per_minute:,.0f} instances/min" if per_minute >= 10 else f"{per_minute:.2g} instances/min"


def few(texts: Sequence[str], most: int) -> str:
    """Return the first texts, and how many more there are."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more:,} more" if more > 0 else "")


def gibibytes(size: float) -> str:
    """Return a number of bytes in GiB, with three significant digits or more."""
    number = size / 2**30
    return f"{number:,.0f} GiB" if number >= 100 else f"{number:.3g} GiB"


def disk_words(share: float, size: float | None) -> str:
    """Return a share of a node's disk in words, with its bytes where they are known."""
    return f"{percent_words(share)} of a node's disk" + (f" ({gibibytes(size)})" if size else "")


def percent_words(share: float) -> str:
    """Return a share in percent, with three significant digits."""
    return f"{100 * share:.3g} %"


def printable(text: str) -> str:
    """Return a text for a terminal: what would control it, or has no character, is written as its code."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one == "\t" else one.encode("unicode_escape").decode() for one in text
    )


def short_hashes(text: str) -> str:
    """Return a text whose SHA-256 hashes have 12 digits each: for people, who compare no more."""
    return _HASH.sub(r"\1…", text)


def shortened(text: str, most: int) -> str:
    """Return a text with at most so many characters: of a longer one its first two thirds and its end."""
    if len(text) <= most:
        return text
    begin, end = 2 * most // 3, most // 3
    return f"{text[:begin]} … ({len(text) - begin - end:,} characters more) … {text[-end:]}"
