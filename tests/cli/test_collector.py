from pathlib import Path

from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.operators.collector_archive import collector_files, launcher, source_archive


def test_it_writes_what_the_option_leads_to(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["collector", str(tmp_path / "colgraph")])
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == list(collector_files(f"{tmp_path}/colgraph/"))
    made = source_archive(tmp_path), launcher(tmp_path)
    for path, local in zip(done.output.splitlines(), made, strict=True):
        assert Path(path).read_bytes() == local.read_bytes()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = CliRunner().invoke(main, ["collector", str(tmp_path / "file" / "colgraph")])
    assert done.exit_code == 1
    assert (
        done.output
        == f"colgraph: error: {tmp_path}/file/colgraph cannot be written: Not a directory.\n"
    )
