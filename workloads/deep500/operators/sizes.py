"""Named sizes of the operators: those of the shipped networks, of DeepBench, and small ones for two cores.

Sizes that begin with ``deepbench`` are those of DeepBench's training sets (baidu-research/DeepBench,
code/kernels: gemm_problems.h, conv_problems.h, rnn_problems.h); those with ``transformer`` are of the base
model of Vaswani et al., "Attention is all you need" (2017). The others have the layers and the batch of the
shipped workload of that name.
"""

from __future__ import annotations

from collections.abc import Mapping

from workloads.microbenchmarks.conv import LAYERS

_RESNET = {
    f"resnet50-{name}": f"n=32,h={layer.image_size},c={layer.channels},k={layer.filters},"
    f"r={layer.kernel_size},stride={layer.stride},pad={layer.kernel_size // 2}"
    for name, layer in LAYERS.items()
}

SIZES: Mapping[str, Mapping[str, str]] = {
    "conv2d": {
        "demo-a": "n=2,h=16,c=8,k=16,r=3,pad=1",
        "demo-b": "n=2,h=16,c=32,k=16,r=1",
        "demo-c": "n=2,h=17,c=4,k=8,r=5,stride=2,pad=2",
        **_RESNET,
        "alexnet-conv1": "n=128,h=227,c=3,k=64,r=11,stride=4",
        "alexnet-conv2": "n=128,h=27,c=64,k=192,r=5,pad=2",
        "alexnet-conv3": "n=128,h=13,c=192,k=384,r=3,pad=1",
        "alexnet-conv4": "n=128,h=13,c=384,k=256,r=3,pad=1",
        "alexnet-conv5": "n=128,h=13,c=256,k=256,r=3,pad=1",
        "overfeat-conv2": "n=128,h=28,c=96,k=256,r=5",
        "overfeat-conv4": "n=128,h=12,c=512,k=1024,r=3,pad=1",
        "vgg-conv1": "n=64,h=224,c=3,k=64,r=3,pad=1",
        "vgg-conv2": "n=64,h=112,c=64,k=128,r=3,pad=1",
        "vgg-conv4": "n=64,h=56,c=256,k=256,r=3,pad=1",
        "vgg-conv6": "n=64,h=28,c=512,k=512,r=3,pad=1",
        "vgg-conv8": "n=64,h=14,c=512,k=512,r=3,pad=1",
        "googlenet-3a_5x5": "n=128,h=28,c=16,k=32,r=5,pad=2",
        "googlenet-4a_1x1": "n=128,h=14,c=480,k=192,r=1",
        "nt3-conv1": "n=20,h=60483,w=1,c=1,k=128,r=20,s=1",
        "nt3-conv2": "n=20,h=60464,w=1,c=128,k=128,r=10,s=1",
        "deepbench-speech1": "n=16,h=161,w=700,c=1,k=32,r=5,s=20,stride=2",
        "deepbench-speech2": "n=16,h=79,w=341,c=32,k=32,r=5,s=10,stride=2",
        "deepbench-ocr1": "n=16,h=48,w=480,c=1,k=16,r=3,pad=1",
        "deepbench-ocr4": "n=16,h=6,w=60,c=64,k=128,r=3,pad=1",
        "deepbench-face1": "n=8,h=108,c=3,k=64,r=3,stride=2,pad=1",
        "deepbench-face3": "n=8,h=27,c=128,k=128,r=3,pad=1",
        "deepbench-vision2": "n=8,h=112,c=64,k=128,r=3,pad=1",
        "deepbench-vision6": "n=16,h=7,c=512,k=512,r=3,pad=1",
        "deepbench-inception5": "n=16,h=14,c=512,k=48,r=5,pad=2",
        "deepbench-speaker3": "n=16,h=80,w=350,c=64,k=128,r=5,stride=2,pad=1",
    },
    "matmul": {
        "demo-a": "m=64",
        "demo-b": "m=16,n=128,k=256",
        "demo-c": "m=128",
        "p1b1-outer": "m=100,n=2000,k=60483",
        "p1b1-inner": "m=100,n=600,k=2000",
        "p1b1-output": "m=100,n=60483,k=2000",
        "p1b2-hidden1": "m=60,n=1024,k=28204",
        "p1b3-hidden1": "m=100,n=1000,k=29532",
        "nt3-dense1": "m=20,n=200,k=773760",
        "alexnet-dense1": "m=128,n=4096,k=9216",
        "alexnet-dense2": "m=128,n=4096,k=4096",
        "vgg-dense1": "m=64,n=4096,k=25088",
        "resnet50-dense": "m=32,n=1000,k=2048",
        "lstm-gates": "m=128,n=4096,k=2048",
        "square-2048": "m=2048",
        "square-4096": "m=4096",
        "deepbench-1760x16": "m=1760,n=16,k=1760",
        "deepbench-1760x128": "m=1760,n=128,k=1760",
        "deepbench-1760x7000": "m=1760,n=7000,k=1760",
        "deepbench-2560x64": "m=2560,n=64,k=2560",
        "deepbench-2560x7000": "m=2560,n=7000,k=2560",
        "deepbench-5124x9124": "m=5124,n=9124,k=1760",
        "deepbench-35x8457": "m=35,n=8457,k=1760",
        "deepbench-7680x128": "m=7680,n=128,k=2560",
        "deepbench-3072x64": "m=3072,n=64,k=1024",
        "deepbench-512x500000": "m=512,n=8,k=500000",
        "deepbench-1024x700": "m=1024,n=700,k=512",
    },
    "batch_norm": {
        "demo-a": "n=256,c=32",
        "demo-b": "n=8,h=8,c=16",
        "demo-c": "n=2,h=16,c=32",
        "resnet50-stem": "n=32,h=112,c=64",
        "resnet50-stage2": "n=32,h=56,c=256",
        "resnet50-stage4": "n=32,h=14,c=1024",
        "resnet50-stage5": "n=32,h=7,c=2048",
    },
    "max_pool": {
        "demo-a": "n=4,h=16,c=8,r=2",
        "demo-b": "n=4,h=15,c=8,r=3,stride=2",
        "demo-c": "n=2,h=17,c=8,r=3,stride=2,pad=1",
        "resnet50-stem": "n=32,h=112,c=64,r=3,stride=2,pad=1",
        "alexnet-pool1": "n=128,h=55,c=64,r=3,stride=2",
        "vgg-pool1": "n=64,h=224,c=64,r=2",
        "nt3-pool2": "n=20,h=60455,w=1,c=128,r=10,s=1",
    },
    "average_pool": {
        "demo-a": "n=4,h=16,c=8,r=2",
        "demo-b": "n=4,h=15,c=8,r=3,stride=2",
        "demo-c": "n=8,h=7,c=64,r=7",
        "resnet50-end": "n=32,h=7,c=2048,r=7",
        "googlenet-end": "n=128,h=7,c=1024,r=7",
    },
    "softmax": {
        "demo-a": "n=256,c=10",
        "demo-b": "n=64,c=100",
        "demo-c": "n=16,c=1000",
        "resnet50-classes": "n=32,c=1000",
        "vgg-classes": "n=64,c=1000",
        "transformer-vocabulary": "n=1024,c=37000",
    },
    "lstm_cell": {
        "demo-a": "n=16,d=32",
        "demo-b": "n=32,d=16,u=32",
        "demo-c": "n=8,d=64",
        "lstm-1024": "n=128,d=1024",
        "deepbench-256": "n=16,d=256",
        "deepbench-512": "n=32,d=512",
        "deepbench-1024": "n=64,d=1024",
        "deepbench-1536": "n=32,d=1536",
        "deepbench-2048": "n=128,d=2048",
    },
    "attention": {
        "demo-a": "b=2,a=2,t=16,e=16",
        "demo-b": "b=2,a=2,t=16,s=32,e=8",
        "demo-c": "b=1,a=2,t=64,e=8",
        "transformer-base": "b=32,a=8,t=64,e=64",
        "transformer-512": "b=8,a=8,t=512,e=64",
        "transformer-2048": "b=1,a=8,t=2048,e=64",
        "transformer-cross": "b=32,a=8,t=64,s=128,e=64",
    },
    **{
        name: {
            "demo-a": "n=1000",
            "demo-b": "n=10000",
            "demo-c": "n=50000",
            "resnet50-stage2": "n=25690112",
            "vgg-dense": "n=262144",
            "p1b1-outer": "n=200000",
            "lstm-state": "n=131072",
        }
        for name in ("add", "relu", "gelu", "tanh")
    },
}
