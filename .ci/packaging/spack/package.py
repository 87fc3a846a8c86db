"""Spack's recipe. A test compares the dependencies with pyproject.toml; a repository adds the archive's sha256."""

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class PyEnsembleThroughputOrchestrator(PythonPackage):
    """Runs ensembles of deep-learning trainings on HPC machines and states a figure of merit that a reviewer can check."""

    pypi = "ensemble-throughput-orchestrator/ensemble_throughput_orchestrator-1.0.0.tar.gz"

    license("BSD-3-Clause")

    version("1.0.0")

    variant("statistics", default=True, description="SciPy, for node rank, analyze compare and report")

    depends_on("python@3.11:3.14", type=("build", "run"))
    depends_on("py-setuptools@77:", type="build")
    depends_on("util-linux", type="run")  # setpriv
    with default_args(type=("build", "run")):
        depends_on("py-parsl@2026.10.26")
        depends_on("py-sqlalchemy@2.1.9:2.1")
        depends_on("py-alembic@1.20:1")
        depends_on("py-psycopg@3.3:3")
        depends_on("py-pydantic@2.14:2")
        depends_on("py-typing-extensions@4.13:")
        depends_on("py-ruamel-yaml@0.18.6:0.19")
        depends_on("py-ruamel-yaml-clib@0.2.12:")
        depends_on("py-typer@0.29:0")
        depends_on("py-rich@15:15")
        depends_on("py-numpy@2.0:")
        depends_on("py-pandas@3.1:3")
        depends_on("py-psutil@7.2:7")
        depends_on("py-pyzmq@27:")
        depends_on("py-msgspec@0.19:0")
        depends_on("py-jinja2@3.1:3")
        depends_on("py-matplotlib@3.10:3")
        depends_on("py-pillow@12:13")
        depends_on("py-google-crc32c@1.7:1")
        depends_on("py-scipy@1.15:", when="+statistics")
