"""Made functions, run by pandas on changed rows: no edge is lost, no IDENTITY is false.

`python -m oracles.python_functions --count 3000`, `python -m oracles.rdd_chains --count 3000` and
`python -m oracles.driver_text --count 3000` judge more of them.
"""

from oracles import driver_text, rdd_chains
from oracles.python_functions import judged


def test_made_functions_are_told_right() -> None:
    verdict = [*judged(25, 7000)][-1]
    assert verdict.wrong == []
    assert verdict.functions > 18
    assert verdict.told_edges < 0.8 * verdict.all_edges


def test_made_chains_of_an_rdd_are_told_right() -> None:
    verdict = rdd_chains.judged(100, 9000)
    assert verdict.wrong == []
    assert verdict.functions > 50
    assert verdict.told_edges < 0.8 * verdict.all_edges


def test_made_text_between_pandas_and_spark_is_told_right() -> None:
    verdict, told, ran = driver_text.judged(60, 5000)
    assert verdict.wrong == []
    assert told > 15
    assert ran > 25
    assert verdict.told_edges < 0.7 * verdict.all_edges


def test_made_lists_between_collect_and_spark_are_told_right() -> None:
    verdict, told, ran = driver_text.judged(60, 5000, driver_text.made_lists)
    assert verdict.wrong == []
    assert told > 20
    assert ran > 40
    assert verdict.told_edges < 0.7 * verdict.all_edges
