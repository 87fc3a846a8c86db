"""The word list: product code, pages and YAML have none of the words, and each that appears is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.prose import OPENINGS, WORDS, hits, openings


def test_the_project_has_none_of_the_words() -> None:
    assert list(hits()) == []


@pytest.mark.parametrize("file", ["README.md", "orchestrator/a/b.py", "sites/ours.yaml", "db/README.md"])
def test_each_word_is_found_with_its_file_and_line(tmp_path: Path, file: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("".join(f"a line\n{word.capitalize()}, twice: {word}\n" for word in WORDS))
    expected = [f"{file}:{2 * number}: " for number in range(1, len(WORDS) + 1) for _ in range(2)]
    assert [hit.removesuffix(hit.rpartition(": ")[2]) for hit in hits(tmp_path)] == expected


def test_parts_of_words_and_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "a.py").write_text("amend = recommend(unlawful)\n")
    (tmp_path / "db" / "a.sql").write_text("-- " + WORDS[0] + "\n")
    assert list(hits(tmp_path)) == []


@pytest.mark.parametrize("word", OPENINGS)
def test_docstrings_that_open_without_a_noun_are_found(tmp_path: Path, word: str) -> None:
    (tmp_path / "db").mkdir()
    text = f'def f():\n    """{word} it does."""\n\n\ndef g():\n    """Return {word}."""\n'
    (tmp_path / "db" / "some.py").write_text(text)
    assert list(openings(tmp_path)) == [f"db/some.py:2: a docstring opens with {word}"]


def test_no_docstring_opens_without_a_noun() -> None:
    assert list(openings()) == []
