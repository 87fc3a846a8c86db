"""The rulebook `recipe`: metrics against the bounds that a recipe states."""
