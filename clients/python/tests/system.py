"""A running Helve, for the tests of the contract and of the examples."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from .far import PATIENCE

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("HELVE", "OPENAI", "ANTHROPIC", "GEMINI"))}


def program() -> str:
    """Returns the path of the program that is tested."""
    path = os.environ.get("HELVE")
    if not path:
        raise AssertionError("set HELVE to the program that is to be tested: go build -o /tmp/helve ./cmd/helve")
    return path


class System:
    """One ``helve up`` with data of its own. With ``keys`` callers need a key."""

    def __init__(self, *, keys: bool = False) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="helve-python-"))
        self._options = ["--diagnostics", "--log-level", "error", "--data", str(self.directory / "data"), "--nats", "127.0.0.1:0"]
        if keys:
            (self.directory / "helve.yaml").write_text(f"auth:\n  keys_file: {self.directory / 'keys.yaml'}\n")
            self._options += ["--config", str(self.directory / "helve.yaml")]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{self.address}"
        self._process: subprocess.Popen[str] | None = None

    def key(self, *options: str) -> str:
        """Returns a new key."""
        command = [program(), "auth", "key", "--json", "--add", str(self.directory / "keys.yaml"), *options]
        made = subprocess.run(command, capture_output=True, text=True, check=True, env=CLEAN, timeout=PATIENCE)
        key: Any = json.loads(made.stdout)["key"]
        return str(key)

    def start(self) -> System:
        """Starts it and waits until it is ready."""
        command = [program(), "up", "--http", self.address, *self._options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=CLEAN)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith(f"ready http={self.url} "), f"helve up does not start: {line!r}"
        return self

    def kill(self) -> None:
        """Kills it, as a power failure does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stops it and removes its data."""
        self._end(signal.SIGTERM)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _end(self, signal: int) -> None:
        if self._process is not None:
            self._process.send_signal(signal)
            self._process.communicate(timeout=PATIENCE)
            self._process = None
