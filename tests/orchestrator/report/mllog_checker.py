"""Prints what the log checker of MLCommons finds in each result file, as JSON: mllog_checker.py FILE...

It runs in an environment of its own, with mlperf-logging.
"""

from __future__ import annotations

import json
import sys

if __name__ == "__main__":
    from mlperf_logging.compliance_checker.mlp_compliance import make_checker

    for file in sys.argv[1:]:
        checker = make_checker("hpc", "3.0.0", quiet=True, werror=False)
        valid = checker.check_file(file, "hpc_3.0.0/common.yaml")
        found = [*checker.overwritable.values(), *checker.not_overwritable]
        print(json.dumps({"valid": bool(valid), "found": found}))
