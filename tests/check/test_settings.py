"""The settings of `colgraph check`."""

from pathlib import Path

import pytest

from airflow_colgraph.check.change import Change, Dependents
from airflow_colgraph.check.settings import Settings, read
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.store.model.latest_lineage import Dataset

MART, RAW = Dataset("s3://lake", "mart/daily"), Dataset("s3://lake", "raw/orders")
USED = Dependents((("n", "report", "x"),))


WAIVER = "[[check.waivers]]\nkinds = ['column-removed']\ndatasets = ['*']\n"


def severities(settings: Settings, *changes: Change) -> list[str]:
    return [one.severity for one in settings.judged(changes)]


def test_a_removed_column_is_an_error_if_something_depends_on_it() -> None:
    found = severities(
        Settings(),
        Change("column-removed", MART, "x", dependents=USED),
        Change("column-removed", MART, "x"),
        Change("column-removed", MART, "x", dependents=Dependents(truncated=True)),
    )
    assert found == ["error", "warning", "error"]


def test_the_last_rule_that_fits_counts(tmp_path: Path) -> None:
    file = tmp_path / "colgraph.toml"
    file.write_text(
        """
        [[check.rules]]
        kinds = ["column-added"]
        severity = "error"
        [[check.rules]]
        datasets = ["s3://lake/raw/*"]
        severity = "ignore"
        """
    )
    found = severities(
        read(file), Change("column-added", MART, "x"), Change("column-added", RAW, "x")
    )
    assert found == ["error"]


def test_the_settings_of_a_folder(tmp_path: Path) -> None:
    assert read(folder=tmp_path) == Settings()
    (tmp_path / "pyproject.toml").write_text(
        "[[tool.colgraph.check.rules]]\nkinds = ['column-added']\nseverity = 'warning'"
    )
    assert severities(read(folder=tmp_path), Change("column-added", MART, "x")) == ["warning"]
    (tmp_path / "colgraph.toml").write_text("[[check.rules]]\nseverity = 'error'")
    assert severities(read(folder=tmp_path), Change("column-added", MART, "x")) == ["error"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[check", "Expected"),
        ("check = 1", "check is a table"),
        ("[check]\nrule = []", "exports, waivers, not 'rule'; did you mean 'rules'?"),
        ("[chekc]\nrules = []", "not 'chekc'; did you mean 'check'?"),
        ("[[check.rules]]\nclass = 'broken'", "check.rules.class is one of breaking"),
        ("[[check.rules]]\nclass = 'breaking'\nclasses = ['b']", "check.rules.classes is one of"),
        ("[[check.waivers]]\nreason = 'x'\nowner = 'y'", "needs kinds and datasets"),
        (f"{WAIVER}owner = 'y'", "check.waivers needs reason, a text"),
        (f"{WAIVER}owner = ''\nreason = 'x'", "check.waivers needs owner, a text"),
        (f"{WAIVER}owner = 'y'\nreason = 'x'", "needs until, a day such as 2027-01-31"),
        (f"{WAIVER}owner = 'y'\nreason = 'x'\nuntil = 'soon'", "needs until, a day"),
        (f"{WAIVER}owner = 'y'\nuntill = 2027-01-31", "not 'untill'; did you mean 'until'?"),
        ("[check]\nrules = 1", "write [[check.rules]]: it is a list of tables"),
        ("[[check.rules]]", "severity is one of ignore, note, warning, error, not None"),
        ("[[check.rules]]\nseverity = 'fatal'", "not 'fatal'"),
        ("[[check.rules]]\nseverity = 'error'\nkinds = ['gone']", "not 'gone'"),
        ("[[check.rules]]\nseverity = 'error'\nkinds = 'gone'", "kinds is a list of strings"),
        ("[[check.rules]]\nseverity = 'error'\ndependents = 1", "dependents is true or false"),
        ("[[check.datasets]]\nfrom = ['file']", "check.datasets needs from and to"),
        ("[[check.exports]]\nname = 'x'", "check.exports needs name and datasets"),
        ("[[check.exports]]\nname = 1\ndatasets = ['*']", "check.exports needs name and datasets"),
    ],
)
def test_settings_that_cannot_be_used(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "colgraph.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as error:
        read(file)
    assert str(error.value).startswith(str(file))
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        read(tmp_path / "none.toml")
