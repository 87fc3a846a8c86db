"""Texts of others as one line."""

from __future__ import annotations

from orchestrator.wording import percent_words, printable, rate_words, short_hashes, shortened


def test_control_characters_are_written_as_their_codes() -> None:
    assert printable("a\x1b[31mb\nc\u202ed é") == "a\\x1b[31mb\\nc\\u202ed é"


def test_a_long_text_keeps_its_begin_and_its_end() -> None:
    assert shortened("x" * 10, 10) == "x" * 10
    text = shortened("begin " + "x" * 40_000 + " end", 300)
    assert text.startswith("begin xxx")
    assert text.endswith("xxx end")
    assert "39,710 characters more" in text
    assert len(text) < 400


def test_hashes_are_short_for_people() -> None:
    assert short_hashes(f"mine.yaml#sha256={'0123456789ab' + 52 * 'f'}") == "mine.yaml#sha256=0123456789ab…"
    assert short_hashes("f" * 63) == "f" * 63


def test_shares_are_percents_of_three_digits() -> None:
    assert [percent_words(share) for share in (0.03, 0.1234567, 1.5)] == ["3 %", "12.3 %", "150 %"]


def test_rates_have_two_digits_or_more_and_no_exponent() -> None:
    rates = [rate_words(per_minute) for per_minute in (0.254, 9.96, 99.6, 1234.5)]
    assert rates == [f"{number} instances/min" for number in ("0.25", "10", "100", "1,234")]
