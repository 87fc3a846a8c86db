# ruff: noqa: UP031
# In the style of the old scripts: no functions to speak of, options by hand, prints what it does.
import os
import random
import sys
import time

from old_keras_lib import progress  # lies beside it, as it does with such scripts

epochs = 2
seed = 7
for i in range(1, len(sys.argv)):
    if sys.argv[i] == "--epochs":
        epochs = int(sys.argv[i + 1])
    if sys.argv[i] == "--rng_seed":
        seed = int(sys.argv[i + 1])
random.seed(seed)
begin = time.time()
print("Using TensorFlow backend.", file=sys.stderr)
print("Threads:", os.environ["KERAS_THREADS"])
corr = 0.0
for epoch in range(epochs):
    print("Epoch %d/%d" % (epoch + 1, epochs))
    for step in range(1, 11):
        progress(step, 10, loss=1.0 / (epoch + step))
    print()
    corr = 1 - 0.5 ** (epoch + 1) - random.random() / 1000
    print("Test correlation: %.6f - val_loss: %.4e" % (corr, 1 - corr))
if "--diverge" in sys.argv:
    raise FloatingPointError("loss is nan")
print("Finished in %.6f s" % (time.time() - begin))
