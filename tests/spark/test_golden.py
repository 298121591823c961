"""A sample of Spark's golden SQL suite: the same results, and no edge lost (`make golden`: all)."""

import logging
from collections.abc import Iterator

import pyspark
import pytest

from tests.amount import of_all
from tests.spark.golden.__main__ import chosen, run
from tests.spark.golden.suite import Suite, dimensions, jar, statements

pytestmark = [pytest.mark.spark, pytest.mark.jars, pytest.mark.xdist_group("golden")]

SAMPLE = ["having.sql", "subquery/in-subquery/in-basic.sql"][: of_all(2, 1)]
EVERY = 7  # of their statements one is judged


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.long
def test_a_sample_gives_the_same_and_loses_nothing() -> None:
    suite = Suite(jar(pyspark.__version__))
    report = run(chosen(suite, SAMPLE, False), suite, EVERY)
    assert report.findings == []
    assert report.sum("statements") > of_all(50, 10)
    assert report.sum("same") == report.sum("statements")
    assert report.sum("right") >= 3


def test_every_file_has_the_statements_that_its_results_expect() -> None:
    suite = Suite(jar(pyspark.__version__))
    files = [file for file in suite.files() if file.expected]
    assert len(files) > 300
    for file in files:
        assert [found.statement for found in file.expected] == list(file.statements), file.name


def test_statements_between_delimiters_are_one() -> None:
    code = ["SELECT 1; SELECT", "2;", "--QUERY-DELIMITER-START", "BEGIN", "SELECT 3;", "END;"]
    found = list(statements([*code, "--QUERY-DELIMITER-END", "SELECT '\\;';"]))
    assert found == ["SELECT 1", "SELECT\n2", "BEGIN\nSELECT 3;\nEND", "SELECT '\\;'"]


def test_a_file_is_run_with_one_of_each_dimension() -> None:
    lines = ["--CONFIG_DIM1 a=1,b=2", "--CONFIG_DIM1 a=3", "--CONFIG_DIM2 c=4", "-- a=5"]
    one, two = dimensions(lines)
    assert one == ((("a", "1"), ("b", "2")), (("a", "3"),))
    assert two == ((("c", "4"),),)
