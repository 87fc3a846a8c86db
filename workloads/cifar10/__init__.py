"""ResNet-44 on CIFAR-10, as the recipe of Deep500 trains it."""
