"""YAML 1.2 as all files are read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sites.yaml_loader import YamlError, load

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("plain", "value"),
    [
        ("yes", "yes"), ("Off", "Off"), ("true", True), ("~", None), ("", None), ("12", 12), ("-7", -7),
        ("0x1F", 31), ("0o17", 15), ("0b11", "0b11"), ("1:30", "1:30"), ("1:30:00", "1:30:00"),
        ("1_000", "1_000"), ("1e3", 1000.0), ("1.5e+3", 1500.0), (".5", 0.5), ("-.inf", float("-inf")),
        ("2026-11-21", "2026-11-21"), ("a b", "a b"), ("'012'", "012"), ("!!str 12", "12"), ("! 12", "12"),
    ],
)  # fmt: skip
def test_plain_values(plain: str, value: object) -> None:
    found = load(f"a: {plain}")["a"]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("plain", ["010", "08", "-07"])
def test_a_number_that_begins_with_zero_has_no_clear_meaning(plain: str) -> None:
    with pytest.raises(YamlError, match=rf"^line 1, column 4 {plain} begins with 0: write "):
        load(f"a: {plain}")


def test_merge_keys_and_anchors() -> None:
    text = (
        "base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\n"
        "one: {<<: *base, b: 9}\ntwo: {<<: [*base, *more], d: 5}\nthree: &n [1]\nfour: [*n, *n]\n"
    )
    found = load(text)
    assert found["one"] == {"a": 1, "b": 9}
    assert found["two"] == {"a": 1, "b": 2, "c": 4, "d": 5}
    assert found["four"] == [[1], [1]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &x [*x]", "line 1, column 8 alias 'x' stands inside of what it names"),
        ("a: *x", "line 1, column 4 found undefined alias 'x'"),
        ("a: {<<: 1}", "line 1, column 9 a merge key"),
        ("a: {<<: {}, <<: {}}", "line 1, column 13 key '<<' is given twice"),
        ("a: 1\n---\nb: 2", "line 2, column 1 a second document begins here"),
        ("a: !odd 1", "line 1, column 4 could not determine a constructor for the tag '!odd'"),
        ("a: " + "[" * 200 + "]" * 200, "line 1, column 103 nested too deeply"),
        ("[" * 20_000, "line 1, column 101 nested too deeply"),
        ('a: "\\UFFFFFFFF"', ""),
    ],
)  # fmt: skip
def test_errors_are_one_line(text: str, said: str) -> None:
    with pytest.raises(YamlError) as caught:
        load(text)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_an_expansion_bomb_is_refused_before_it_is_expanded() -> None:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(YamlError, match=r"^line 6, column \d+ more than 1,000,000 values"):
        load("\n".join(lines))


@pytest.mark.parametrize("character", "\x85\u2028\u2029")
def test_line_breaks_of_yaml_1_1_are_refused_with_their_escape(character: str) -> None:
    code = f"{ord(character):04x}"
    with pytest.raises(YamlError) as caught:
        load(f"a: {{}}\nc: x{character}y: z\n")
    assert (
        str(caught.value) == f'line 2 has the character U+{code.upper()}: write it as "\\u{code}" in quotes'
    )
    assert load(f'a: "\\u{code}"') == {"a": character}


_WITHOUT_C = (
    "import sys\nsys.modules['_ruamel_yaml'] = None\nfrom sites.yaml_loader import load\n"
    "print(ascii([load(text) for text in eval(sys.stdin.read())]))"
)


def test_the_python_parser_gives_the_same() -> None:
    texts = [
        'a: &x [1, yes, "b"]\nc: {<<: {d: 1}, e: *x}',
        "a: |\n  x\n  y\nb: 0o17",
    ]
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_C],
        cwd=ROOT,
        input=ascii(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ascii([load(text) for text in texts])
