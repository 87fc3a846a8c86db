"""There is no way out of a final state."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from db.states import FINAL_STATES, OPEN_STATES, AttemptState

states = st.sampled_from(AttemptState)


def test_states_are_open_or_final() -> None:
    assert set(OPEN_STATES) == {"submitted", "running"}
    assert set(FINAL_STATES) == {"succeeded", "failed", "timed_out", "lost", "cancelled"}
    assert {state.value for state in AttemptState} == {*OPEN_STATES, *FINAL_STATES}


@given(states, states)
def test_nothing_follows_a_final_state(one: AttemptState, other: AttemptState) -> None:
    assert one.final == (one.value in FINAL_STATES)
    if one.final:
        assert not one.may_become(other)


@given(states)
def test_no_state_follows_itself_or_leads_back_to_submitted(state: AttemptState) -> None:
    assert not state.may_become(state)
    assert not state.may_become(AttemptState.SUBMITTED)


@given(st.lists(states))
def test_any_walk_ends_at_its_first_final_state(reports: list[AttemptState]) -> None:
    state, seen = AttemptState.SUBMITTED, [AttemptState.SUBMITTED]
    for report in reports:
        if state.may_become(report):
            state = report
            seen.append(state)
    assert [one.final for one in seen[:-1]] == [False] * (len(seen) - 1)
    first = next((report for report in reports if report.final), None)
    assert state == first if first else state in {"submitted", "running"}
