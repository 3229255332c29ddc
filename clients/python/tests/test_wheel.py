"""The wheel: what is in it, and that it works in an empty environment."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

from .far import PATIENCE

ROOT = Path(__file__).parent.parent
PROGRAM = """
import helve, importlib.metadata, pathlib, sys
import helve.chat, helve.langchain, helve.loop, helve.openai_agents
assert pathlib.Path(helve.__file__).is_relative_to(sys.prefix), helve.__file__
print(importlib.metadata.version("helve"), len(importlib.metadata.files("helve")) > 30)
try: helve.Client("http://127.0.0.1:1", retry_for=0).tools()
except helve.UnreachableError as error: print(error.kind)
"""


class Wheel(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        sys.path.insert(0, str(ROOT / "build_backend"))
        self.addCleanup(sys.path.remove, str(ROOT / "build_backend"))

    def test_contents(self) -> None:
        import wheel_backend

        path = self.directory / wheel_backend.build_wheel(str(self.directory))
        first = path.read_bytes()
        self.assertRegex(path.name, r"^helve-\d+\.\d+\.\d+-py3-none-any\.whl$")
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            info = path.name.removesuffix("-py3-none-any.whl") + ".dist-info"
            self.assertEqual(names[-1], f"{info}/RECORD")
            for required in ("helve/__init__.py", "helve/py.typed", "helve/chat/__init__.py", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/LICENSE"):
                self.assertIn(required, names)
            self.assertFalse([name for name in names if "test" in name or "pycache" in name])
            record = list(csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode())))
            self.assertEqual([row[0] for row in record], names)
            for name, digest, size in record[:-1]:
                data = wheel.read(name)
                want = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={want}", str(len(data))), name)
            self.assertIn("Requires-Python: >=3.11\n", wheel.read(f"{info}/METADATA").decode())
        wheel_backend.build_wheel(str(self.directory))
        self.assertEqual(path.read_bytes(), first, "a second build has other bytes")

    def test_source_archive_builds_the_same_wheel(self) -> None:
        import wheel_backend

        wheel = (self.directory / wheel_backend.build_wheel(str(self.directory))).read_bytes()
        with tarfile.open(self.directory / wheel_backend.build_sdist(str(self.directory))) as archive:
            archive.extractall(self.directory)
        source = next(path for path in self.directory.iterdir() if path.is_dir())
        program = "import sys; sys.path.insert(0, 'build_backend'); import wheel_backend; print(wheel_backend.build_wheel('.'))"
        done = subprocess.run([sys.executable, "-c", program], cwd=source, capture_output=True, text=True, timeout=PATIENCE, check=True)
        self.assertEqual((source / done.stdout.strip()).read_bytes(), wheel)

    def test_in_an_empty_environment(self) -> None:
        import wheel_backend

        path = self.directory / wheel_backend.build_wheel(str(self.directory))
        venv.create(self.directory / "v")
        python = self.directory / "v/bin/python"
        site = next((self.directory / "v/lib").glob("python*/site-packages"))
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(site)
        done = subprocess.run([python, "-I", "-X", "dev", "-W", "error", "-c", PROGRAM], capture_output=True, text=True, timeout=PATIENCE, cwd=self.directory)
        self.assertEqual((done.stdout, done.stderr), (f"{path.name.split('-')[1]} True\nunavailable\n", ""))


if __name__ == "__main__":
    unittest.main()
