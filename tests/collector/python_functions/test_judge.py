"""Made functions, run by pandas on changed rows: no edge is lost, no IDENTITY is false.

`python -m oracles.python_functions --count 3000` judges more of them.
"""

from oracles.python_functions import judged


def test_made_functions_are_told_right() -> None:
    verdict = [*judged(25, 7000)][-1]
    assert verdict.wrong == []
    assert verdict.functions > 18
    assert verdict.told_edges < 0.8 * verdict.all_edges
