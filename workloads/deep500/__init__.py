"""Deep500's levels: operators, networks, training, and distributed training, each checked by a reference."""
