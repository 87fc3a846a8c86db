"""A real Slurm with accounts: slurmdbd on a MariaDB of its own, and qualities of service with limits."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.harness import wait_for
from tests.schedulers.slurm import SlurmCluster, SlurmError, free_ports, obstacles, search_path

PACKAGES = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "slurmdbd": "slurmdbd"}


def accounting_obstacles() -> list[str]:
    """Return why Slurm's accounting cannot run here; empty when it can."""
    path = search_path()
    missing = sorted({package for name, package in PACKAGES.items() if not shutil.which(name, path=path)})
    return [*obstacles(), *([f"apt-get install {' '.join(missing)}"] if missing else [])]


class AccountedSlurm(SlurmCluster):
    """Slurm that keeps accounts, enforces limits, and remembers jobs (sacct).

    Parameters
    ----------
    qos
        Qualities of service with their limits, as sacctmgr takes them, such as ``MaxWall=1``. The last is
        that of jobs which name none.
    """

    def __init__(self, qos: Mapping[str, str], nodes: int = 3) -> None:
        super().__init__(nodes=nodes)
        self.qos = qos

    def _configure(self) -> None:
        super()._configure()
        self._database_port, self._accounting_port = free_ports(2)
        host = self.address or "127.0.0.1"
        file = self.folder / "slurm.conf"
        lines = (
            "AccountingStorageType=accounting_storage/slurmdbd",
            f"AccountingStorageHost={host}",
            f"AccountingStoragePort={self._accounting_port}",
            f"AccountingStoragePass={self.folder}/munge.socket",
            "AccountingStorageEnforce=associations,limits,qos",
        )
        file.write_text(
            file.read_text().replace(
                "AccountingStorageType=accounting_storage/none\n", "\n".join(lines) + "\n"
            )
        )
        self._password = secrets.token_hex(16)
        settings = self.folder / "slurmdbd.conf"
        settings.touch(0o600)
        settings.write_text(
            f"AuthType=auth/munge\nAuthInfo=socket={self.folder}/munge.socket\n"
            f"DbdHost={os.uname().nodename.split('.')[0]}\nDbdAddr={host}\nDbdPort={self._accounting_port}\n"
            f"SlurmUser=root\nPidFile={self.folder}/slurmdbd.pid\nLogFile={self.folder}/slurmdbd.log\n"
            "StorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\n"
            f"StoragePort={self._database_port}\nStorageUser=slurm\nStoragePass={self._password}\n"
            "StorageLoc=slurm\n"
        )

    def _start_accounting(self) -> None:
        self._start_database()
        self._daemon("slurmdbd", ["slurmdbd", "-D"])
        wait_for(
            lambda: self.attempt("sacctmgr", "-nP", "show", "cluster").returncode == 0,
            "slurmdbd to answer",
            120,
        )
        self.run("sacctmgr", "-i", "add", "cluster", self.cluster)
        for name, limits in self.qos.items():
            self.run("sacctmgr", "-i", "add", "qos", name, *limits.split())
        rights = f"qos={','.join(self.qos)}", f"defaultqos={[*self.qos][-1]}"
        self.run("sacctmgr", "-i", "modify", "user", "root", "set", *rights)

    def _start_database(self) -> None:
        data, socket = self.folder / "database", self.folder / "mysql.socket"
        made = subprocess.run(
            [
                "mariadb-install-db",
                "--no-defaults",
                "--user=root",
                f"--datadir={data}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise SlurmError(f"mariadb-install-db failed: {made.stderr[-500:]}")
        first = self.folder / "first.sql"
        first.touch(0o600)
        first.write_text(
            f"CREATE DATABASE slurm;\nCREATE USER 'slurm'@'127.0.0.1' IDENTIFIED BY '{self._password}';\n"
            "GRANT ALL ON slurm.* TO 'slurm'@'127.0.0.1';\n"
        )
        self._daemon(
            "mariadbd",
            [
                "mariadbd",
                "--no-defaults",
                "--user=root",
                f"--datadir={data}",
                f"--socket={socket}",
                f"--port={self._database_port}",
                "--bind-address=127.0.0.1",
                "--skip-name-resolve",
                f"--init-file={first}",
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-buffer-pool-size=64M",
                f"--pid-file={self.folder}/mariadbd.pid",
            ],
        )
        wait_for(lambda: _listens(self.folder / "mariadbd.out"), "the database to listen", 120)

    def stop(self) -> None:
        """End all jobs and daemons that were started here, and remove the folder."""
        for name in ("slurmctld", "slurmdbd", "mariadbd"):
            self._end_daemon(name)
        super().stop()


def _listens(log: Path) -> bool:
    return "ready for connections" in log.read_text(errors="replace")
