from __future__ import annotations

from workloads.runtime.training.model_trainer import one_behind


def test_a_result_is_taken_once_the_next_step_has_begun():
    marks = []

    def steps():
        for number in range(3):
            marks.append(f"begin {number}")
            yield number

    def take(number):
        marks.append(f"take {number}")

    for number in one_behind(steps()):
        take(number)
    assert marks == ["begin 0", "begin 1", "take 0", "begin 2", "take 1", "take 2"]
    assert list(one_behind(())) == []
