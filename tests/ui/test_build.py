import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from dev import demo
from dev.build_ui import is_recent, sources


@pytest.mark.parametrize(
    ("version", "recent"),
    [
        ("v20.19.0\n", True),
        ("v24.1.0", True),
        ("v20.18.9", False),
        ("v18.20.4", False),
        ("", False),
    ],
)
def test_which_node_will_do(version: str, recent: bool) -> None:
    assert is_recent(version) is recent


def test_the_page_is_built_again_when_a_source_changes(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    seen = set()
    for name, text in (
        ("package-lock.json", "{}"),
        ("index.html", "<html>"),
        ("src/a.ts", "1"),
        ("src/a.ts", "2"),
        ("src/b.ts", ""),
    ):
        (tmp_path / name).write_text(text)
        seen.add(sources(tmp_path))
    assert len(seen) == 5


def test_the_demo_that_is_kept_ends_with_the_address_of_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(signal, "pause", lambda: None)
    airflow = SimpleNamespace(address="http://127.0.0.1:1", user="admin", password="secret")
    demo.wait_for_the_end(airflow)  # type: ignore[arg-type]
    assert capsys.readouterr().out.strip().endswith("http://127.0.0.1:1/plugin/colgraph")
