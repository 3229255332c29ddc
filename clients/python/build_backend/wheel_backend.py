"""The build backend of this package (PEP 517), with the standard library only.

The package has no dependencies and no code to compile, and its wheel is to be built where no
package index is reached; setuptools would be the only thing that a build needs. A wheel is a zip
file with three files of metadata. Wheels and source archives are the same bytes whenever and
wherever they are built.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
STAMP = (1980, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """Writes the wheel and returns its name."""
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    info = f"{stem}.dist-info"
    files = {path.relative_to(SOURCES).as_posix(): path.read_bytes() for path in _sources(SOURCES)}
    files[f"{info}/METADATA"] = _metadata(project)
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: helve\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/LICENSE"] = _license()
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, STAMP)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Writes the source archive and returns its name."""
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    files = {"PKG-INFO": _metadata(project), "LICENSE": _license()}
    for folder in ("src", "build_backend"):
        files |= {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in _sources(ROOT / folder)}
    for name in ("pyproject.toml", "README.md"):
        files[name] = (ROOT / name).read_bytes()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    Path(sdist_directory, f"{stem}.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return f"{stem}.tar.gz"


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project


def _sources(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file() and (p.suffix == ".py" or p.name == "py.typed"))


def _license() -> bytes:
    """Returns the licence, which a source archive has beside it and the repository at its top."""
    beside = ROOT / "LICENSE"
    return (beside if beside.exists() else ROOT.parent.parent / "LICENSE").read_bytes()


def _metadata(project: dict[str, Any]) -> bytes:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {text}" for text in project["classifiers"]),
        "Description-Content-Type: text/markdown",
    ]
    readme: str = (ROOT / project["readme"]).read_text("utf-8")
    return ("\n".join(lines) + "\n\n" + readme).encode()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
