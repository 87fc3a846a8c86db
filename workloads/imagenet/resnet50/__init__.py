"""ResNet-50 on ImageNet."""
