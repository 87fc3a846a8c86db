"""A campaign's report: everything that a reader of its figures asks, from the ledger alone, on one page."""

import logging

# Where the home cannot be written, it uses a temporary folder, and would say so in lines of its own.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
