"""An example of a package that extends the orchestrator, as if it were installed.

`example_plugin-1.0.dist-info/entry_points.txt` is what an installer writes from the package's own
``[project.entry-points]``; with this folder on the path, Python finds both.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
