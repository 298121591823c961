import marshal
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from airflow_colgraph import __version__
from airflow_colgraph.operators import collector_archive
from airflow_colgraph.operators.collector_archive import (
    FIND_THE_REST,
    compiled_archive,
    launcher,
    source_archive,
)

PRINT_ARCHIVE = (
    "from airflow_colgraph.operators.collector_archive import source_archive;"
    " print(source_archive())"
)
PACKAGE = Path(collector_archive.__file__).parents[1]
COLLECTOR = PACKAGE / "collector"


def run(*command: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, *command],
        cwd="/",  # not where our package lies
        env={"PATH": os.environ["PATH"], **environment},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_the_zip_holds_the_collector_and_starts_it(tmp_path: Path) -> None:
    expected = {
        "airflow_colgraph/__init__.py": (PACKAGE / "__init__.py").read_bytes() + FIND_THE_REST,
        "sitecustomize.py": (COLLECTOR / "driver" / "bootstrap.py").read_bytes(),
    }
    leaf = (PACKAGE / "openlineage").rglob("*.py")
    for file in (*COLLECTOR.rglob("*.py"), *COLLECTOR.rglob("*.java"), *leaf):
        expected[f"airflow_colgraph/{file.relative_to(PACKAGE).as_posix()}"] = file.read_bytes()
    with zipfile.ZipFile(source_archive(tmp_path)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == expected


def loaded(archive: Path, *modules: str) -> list[str]:
    """The files that modules come from, by their endings, where only the zip is on the path."""
    program = (
        f"import sys, importlib; sys.path.insert(0, {str(archive)!r})\n"
        f"for name in {modules!r}: print(importlib.import_module(name).__file__.rpartition('.')[2])"
    )
    return run("-I", "-S", "-c", program).split()


MODULES = ("airflow_colgraph.collector.driver.listener", "airflow_colgraph.collector.driver.worker")


def test_a_driver_on_this_python_compiles_nothing(tmp_path: Path) -> None:
    assert loaded(source_archive(tmp_path), *MODULES) == ["py", "py"]
    assert loaded(compiled_archive(tmp_path), *MODULES) == ["pyc", "pyc"]
    with (
        zipfile.ZipFile(source_archive(tmp_path)) as plain,
        zipfile.ZipFile(compiled_archive(tmp_path)) as both,
    ):
        for name in plain.namelist():
            assert both.read(name) == plain.read(name)
            assert f"{name}c" in both.namelist() or name.endswith(".java")


def test_a_driver_on_another_python_reads_the_sources(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.zip"
    with (
        zipfile.ZipFile(compiled_archive(tmp_path)) as archive,
        zipfile.ZipFile(foreign, "w") as other,
    ):
        for name in archive.namelist():
            content = archive.read(name)
            magic = b"\x00\x00\r\n" if name.endswith(".pyc") else b""
            other.writestr(name, magic + content[len(magic) :])
    assert loaded(foreign, *MODULES) == ["py", "py"]


def test_bytecode_is_made_once_and_again_where_it_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = compiled_archive(tmp_path)
    before = path.stat()
    with monkeypatch.context() as patched:
        patched.delattr(collector_archive, "_bytecode")  # what compiles
        assert compiled_archive(tmp_path) == path
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    path.write_bytes(path.read_bytes()[:-100])
    assert compiled_archive(tmp_path) == path
    assert loaded(path, *MODULES) == ["pyc", "pyc"]
    assert os.listdir(tmp_path) == [path.name]


def test_it_is_the_same_file_each_time(tmp_path: Path) -> None:
    first = source_archive(tmp_path / "a")
    second = source_archive(tmp_path / "b")
    assert first.name == second.name
    assert first.name.startswith(f"colgraph-collector-{__version__}-")
    assert first.read_bytes() == second.read_bytes()
    before = first.stat()
    assert source_archive(tmp_path / "a") == first
    assert first.stat() == before  # not written again


def test_another_process_does_not_replace_it(tmp_path: Path) -> None:
    """Spark fails a job whose files change while it copies them; marshal's bytes differ."""
    made = "from airflow_colgraph.operators import collector_archive as c; import pathlib, sys; "
    made += "print(c.compiled_archive(pathlib.Path(sys.argv[1])))"
    files, contents = [], []
    for number, before in enumerate(["", "import pandas; "]):
        for folder in (tmp_path / "one", tmp_path / str(number)):
            command = [sys.executable, "-c", before + made, str(folder)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            path = Path(done.stdout.strip())
            contents.append(path.read_bytes())
            files.append((path.stat().st_ino, path.stat().st_mtime_ns))
    assert len(set(files[::2])) == 1  # the first one's file stays
    assert len(set(contents[::2])) == 1
    assert len(set(contents[1::2])) > 1  # else this test shows nothing


def test_other_content_has_another_name(tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "airflow_colgraph"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("ui", "__pycache__"))
    program = PRINT_ARCHIVE
    environment = {"PYTHONPATH": str(copy.parent), "XDG_CACHE_HOME": str(tmp_path)}
    before = run("-c", program, **environment)
    with (copy / "collector" / "naming" / "datasets.py").open("a") as file:
        file.write("# changed\n")
    assert run("-c", program, **environment) != before


def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    path = source_archive(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[:100])
    assert source_archive(tmp_path) == path
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == [path.name]


def test_many_at_once_make_one(tmp_path: Path) -> None:
    program = PRINT_ARCHIVE
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    makers = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE)
        for _ in range(8)
    ]
    printed = {maker.communicate()[0].decode().strip() for maker in makers}
    assert printed == {str(source_archive(tmp_path / "airflow_colgraph"))}
    assert os.listdir(tmp_path / "airflow_colgraph") == [Path(*printed).name]
    with zipfile.ZipFile(Path(*printed)) as archive:
        assert archive.testzip() is None


def test_it_is_made_from_a_package_in_a_zip(tmp_path: Path) -> None:
    archive = tmp_path / "site.zip"
    with zipfile.ZipFile(archive, "w") as file:
        leaf = (PACKAGE / "openlineage").rglob("*.py")
        sources = (*COLLECTOR.rglob("*.py"), *COLLECTOR.rglob("*.java"), *leaf)
        for source in (PACKAGE / "__init__.py", *sources):
            file.write(source, f"airflow_colgraph/{source.relative_to(PACKAGE).as_posix()}")
        file.writestr("airflow_colgraph/operators/__init__.py", "")
        file.write(collector_archive.__file__, "airflow_colgraph/operators/collector_archive.py")
    program = (
        "import airflow_colgraph.operators.collector_archive as c;"
        " print(c.__file__, c.source_archive(), c.launcher())"
    )
    printed = run("-c", program, PYTHONPATH=str(archive), XDG_CACHE_HOME=str(tmp_path))
    module, made, launching = printed.split()
    assert module.startswith(str(archive))
    assert Path(made).read_bytes() == source_archive(tmp_path / "ours").read_bytes()
    assert Path(launching).read_bytes() == (COLLECTOR / "driver" / "launcher.py").read_bytes()


WHOLE = """
import airflow_colgraph.collector.driver.listener as ours, airflow_colgraph.cli.warehouse as theirs
print(ours.__file__, theirs.__file__)
"""


@pytest.mark.parametrize("how", ["of a driver", "of an executor"])
def test_a_job_that_uses_the_whole_package_finds_it(tmp_path: Path, how: str) -> None:
    """`dags/warehouse.py` does: the collector's package is the first on the path."""
    made = str(compiled_archive(tmp_path))
    if how == "of a driver":
        printed = run("-c", WHOLE, PYTHONPATH=made)
    else:  # Spark's worker puts it there when Python runs already
        printed = run("-c", f"import sys; sys.path.insert(1, {made!r})\n{WHOLE}")
    ours, theirs = printed.split()
    assert ours.startswith(made)
    assert theirs == str(PACKAGE / "cli" / "warehouse.py")


def test_every_module_loads_from_the_zip_alone(tmp_path: Path) -> None:
    made = source_archive(tmp_path)
    names = [
        name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        for name in zipfile.ZipFile(made).namelist()
        if name.endswith(".py")
    ]
    program = (
        f"import sys, importlib; sys.path.insert(0, {str(made)!r})\n"
        f"for name in {names!r}: print(importlib.import_module(name).__name__)"
    )
    assert run("-I", "-S", "-c", program).split() == names


def test_the_launcher_is_alone_in_its_folder(tmp_path: Path) -> None:
    path = launcher(tmp_path)
    assert os.listdir(path.parent) == ["colgraph_launcher.py"]
    assert path.parent.parent == tmp_path
    assert path.read_bytes() == (COLLECTOR / "driver" / "launcher.py").read_bytes()


@pytest.mark.parametrize("made", [source_archive, compiled_archive, launcher])
def test_everyone_may_read_it(tmp_path: Path, made: type) -> None:
    assert made(tmp_path).stat().st_mode & 0o777 == 0o644


# The cache ------------------------------------------------------------------------------------


def test_the_cache_is_where_the_user_s_other_caches_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert source_archive().parent == tmp_path / "home" / ".cache" / "airflow_colgraph"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert source_archive().parent == tmp_path / "cache" / "airflow_colgraph"


def test_without_a_home_it_is_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/proc/no-home")
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/no-cache")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = source_archive().parent
    assert folder == tmp_path / f"airflow_colgraph-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)  # what another user could have prepared
    with pytest.raises(PermissionError, match="is not private to this user; remove it"):
        source_archive()


def planted(path: Path, marker: Path) -> None:
    """The zip at `path` with the right sources, and bytecode that was compiled from others."""
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    code = marshal.dumps(compile(f"open({str(marker)!r}, 'w')", "sitecustomize.py", "exec"))
    held["sitecustomize.pyc"] = held["sitecustomize.pyc"][:16] + code
    path.unlink()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in held.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("mode", [0o644, 0o666])
def test_planted_bytecode_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    marker = tmp_path / "ran"
    path = compiled_archive()
    content = path.read_bytes()
    planted(path, marker)
    path.chmod(mode)
    run("-c", "import sitecustomize", PYTHONPATH=str(path))
    assert marker.exists(), "the plant works"
    marker.unlink()
    assert compiled_archive() == path
    assert path.read_bytes() == content
    run("-c", "import sitecustomize", PYTHONPATH=str(path))
    assert not marker.exists()


def test_a_file_that_others_may_change_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = source_archive()
    before = path.stat().st_ino
    path.chmod(0o666)
    assert source_archive() == path
    assert path.stat().st_mode & 0o777 == 0o644
    elsewhere = tmp_path / "elsewhere.zip"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert source_archive() == path
    assert not path.is_symlink()
    assert elsewhere.stat().st_ino != path.stat().st_ino != before


def test_a_cache_of_others_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    own = tmp_path / "home" / ".cache" / "airflow_colgraph"
    folder = source_archive().parent
    assert folder == tmp_path / "cache" / "airflow_colgraph"
    folder.chmod(0o777)
    assert source_archive().parent == folder
    assert folder.stat().st_mode & 0o777 == 0o755
    folder.parent.chmod(0o777)  # where anyone may replace the folder
    assert source_archive().parent == own
    folder.parent.chmod(0o755)
    moved = folder.rename(tmp_path / "moved")
    folder.symlink_to(moved)
    assert source_archive().parent == own
    real = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: real + 1)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = tmp_path / f"airflow_colgraph-{real + 1}"
    with pytest.raises(PermissionError, match="not private to this user"):
        source_archive()
