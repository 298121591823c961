"""What `colgraph plan` refuses before anything is submitted."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--", "job.jar"], "job.jar cannot be planned: only Python applications can."),
        (["--", "--class", "a.B", "s3a://b/a.jar"], "only Python applications can."),
        (["--", "hdfs://there/job.py"], "hdfs://there/job.py is not a file here."),
        (["--", "--remote", "sc://there", "job.py"], "its server would run it"),
        (["--output", "https://there/x", "--", "job.py"], "a plan sends nothing"),
        (["--schemas", "list.json", "--", "job.py"], "list.json is not an object like"),
        (["--schemas", "job.py", "--", "job.py"], "job.py cannot be read"),
        (["--"], "Give spark-submit's arguments"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_one_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.py").write_text("open('HARM', 'w')")
    Path("list.json").write_text("[]")
    result = CliRunner().invoke(main, ["plan", *words])
    assert result.exit_code == 2
    assert message in result.output
    assert not Path("HARM").exists()
