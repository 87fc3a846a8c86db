from workloads.runtime.training.drops import dropped


def test_each_drop_that_has_begun_takes_the_rate_to_a_tenth():
    assert [dropped(0.5, epoch, (2, 3)) for epoch in range(4)] == [0.5, 0.5, 0.5 * 0.1, 0.5 * 0.1**2]
    assert dropped(0.5, 9, ()) == 0.5
