"""What is changed in place behind another name: the change is seen wherever the data is.

Each way to get a column is followed by each way to change one. The column depends on the change, or
the interpreter gives up, whatever the column was before.
"""

from __future__ import annotations

import linecache

import pytest

from airflow_colgraph.collector.python_functions.interpretation import of_batches
from airflow_colgraph.collector.python_functions.source import captured
from tests.collector.python_functions.test_written import COLUMNS, named

FRAMES = (  # ways to get the frame whose column is changed
    "df.sort_values('quantity', inplace=True)",
    "df.dropna(inplace=True)",
    "df.drop(df[df['quantity'] > 2].index, inplace=True)",
    "df.reset_index(drop=True, inplace=True)",
    "df = df[df['quantity'] > 2]",
    "df = df.groupby('id').agg({'amount': 'sum'}).reset_index()",
    "df = df.groupby('id')['amount'].sum().reset_index()",
    "df = pd.DataFrame({'amount': df['amount'].tolist()})",
    "df = pd.DataFrame(df.to_dict('records'))",
    "df['amount'] = df.groupby('id')['amount'].transform('sum')",
    "df['amount'] = [x for x in df['amount']]",
    "df = df.melt(id_vars=['id'], value_vars=['amount'], value_name='amount')",
    "df = df['amount'].rename('amount').to_frame()",
    "df = pd.concat([df['id'], df['amount']], axis=1)",
)
COLUMNS_APART = (  # ways to get a column of its own
    "s = df.groupby('id')['amount'].transform('sum')",
    "s = df.groupby('id')['amount'].sum()",
    "s = df['amount'] * 2",
    "s = df['amount'].copy()",
    "s = df['amount'].sort_values()",
    "s = df['amount'].values",
    "s = pd.Series([x for x in df['amount']])",
    "s = np.where(df['amount'] > 1, 1, 2)",
    "s = df['amount'].value_counts()",
    "s = pd.get_dummies(df['amount'])['x']",
    "s = df.pivot_table(index='id', columns='day', values='amount')['x']",
)
CHANGES = (
    "s.fillna(new, inplace=True)",
    "s.clip(0, new, inplace=True)",
    "s.where(s > 1, new, inplace=True)",
    "s.replace(1, new, inplace=True)",
    "s.update(pd.Series([new]))",
    "s.iloc[0] = new",
    "s.loc[0] = new",
    "s.at[0] = new",
    "s.values[0] = new",
    "s[:] = new",
    "s += new",
    "np.add(s, new, out=s)",
)


def inputs_of(*lines: str) -> frozenset[str] | None:
    """What the column `amount` of a function of these lines depends on; None if all is unknown."""
    body = "".join(f"        {line}\n" for line in ("new = df['extra'].max()", *lines, "yield df"))
    text = f"import numpy as np\nimport pandas as pd\ndef f(frames):\n    for df in frames:\n{body}"
    name = f"<{lines}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict[str, object] = {}
    exec(compile(text, name, "exec"), names)
    outcome = of_batches(captured(names["f"]), COLUMNS)
    linecache.cache.pop(name)
    told = outcome.columns.get("amount", outcome.rest)
    return None if told is None else named(told)


@pytest.mark.parametrize("change", CHANGES)
def test_a_frame_sees_what_its_column_becomes(change: str) -> None:
    inputs = {frame: inputs_of(frame, "s = df['amount']", change) for frame in FRAMES}
    assert [frame for frame, names in inputs.items() if names and "extra" not in names] == []
    assert sum(names is not None for names in inputs.values()) > len(FRAMES) / 2


@pytest.mark.parametrize("change", CHANGES)
def test_another_name_sees_what_a_column_becomes(change: str) -> None:
    inputs = {
        column: inputs_of(column, "other = s", change, "df['amount'] = other")
        for column in COLUMNS_APART
    }
    assert [column for column, names in inputs.items() if names and "extra" not in names] == []


def test_a_column_that_nothing_changes_does_not_depend_on_it() -> None:
    assert inputs_of("s = df['amount']") == {"amount"}
