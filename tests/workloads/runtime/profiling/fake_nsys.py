"""A stand-in for Nsight Systems: a command ``nsys`` that prints what the documentation of 2024.1 shows."""

from __future__ import annotations

import sys
from pathlib import Path

HEADER = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"
KERNELS = f"""Generating SQLite file profile.sqlite from profile.nsys-rep
Processing [profile.sqlite] with [cuda_gpu_kern_sum.py]...

{HEADER}
60.0,6000000000,30,200000000.0,200000000.0,100,300,1.5,ampere_sgemm_128x64_tn
30.0,3000000000,10,300000000.0,300000000.0,100,300,0.0,"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int, float)"
10.0,1000000000,5,200000000.0,200000000.0,100,300,0.0,ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)

"""  # noqa: E501
COPIES = """Processing [profile.sqlite] with [cuda_gpu_mem_time_sum.py]...

Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation
100.0,2000000000,7,1.0,1.0,1,2,0.0,[CUDA memcpy Host-to-Device]
"""
NONE = "SKIPPED: profile.sqlite does not contain CUDA kernel data.\n"

_PROGRAM = """#!{python}
import os, pathlib, sys

command, words = sys.argv[1], sys.argv[2:]
options = dict(word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word)
here = pathlib.Path(__file__).parent
with open(here / "calls", "a") as calls:
    print(command, *words, file=calls)
if command == {fails!r}:
    print("first line\\nThe session is not known.", file=sys.stderr)
    sys.exit(3)
if command == "launch":
    own = [word for word in words if not word.startswith("--")]
    os.execv(own[0], own)
if command == "start":
    (here / "file").write_text(options["output"])
if command == "stop":
    pathlib.Path((here / "file").read_text()).write_text("recorded")
if command == "stats":
    assert pathlib.Path(words[-1]).read_text() == "recorded"
    print({kernels!r} if "cuda_gpu_kern_sum" in words else {copies!r})
"""


def write_nsys(folder: Path, *, kernels: str = KERNELS, copies: str = COPIES, fails: str = "") -> str:
    """Write the command to a new folder, and return a PATH that begins with it."""
    folder.mkdir()
    file = folder / "nsys"
    file.write_text(_PROGRAM.format(python=sys.executable, kernels=kernels, copies=copies, fails=fails))
    file.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"
