"""Sources in a package: the code that attempts recorded by hash, and the instructions to run it again."""
