# ruff: noqa: UP031
import sys

width = 0


def progress(step, total, **values):
    """Go back over the last bar with backspaces and a carriage return, as Keras 2 did."""
    global width
    sys.stdout.write("\b" * width + "\r")
    bar = "%d/%d [%s] - %s" % (step, total, ("=" * step).ljust(total, "."), values)
    width = len(bar)
    sys.stdout.write(bar)
    sys.stdout.flush()
