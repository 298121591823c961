from airflow_colgraph.testing.text import as_text, difference, fitted, parse

TEXT = """
mart.daily  (file /lake/mart/daily)
  total <- raw.orders.amount  DIRECT:AGGREGATION, DIRECT:AGGREGATION masking
  load  <-
  *     <- raw.orders.state   INDIRECT:FILTER
"""


def test_a_text_is_parsed_whatever_its_alignment() -> None:
    assert parse(TEXT) == {
        "mart.daily": {
            ("total", "raw.orders.amount", "DIRECT:AGGREGATION, DIRECT:AGGREGATION masking"),
            ("load", "", ""),
            ("*", "raw.orders.state", "INDIRECT:FILTER"),
        }
    }


def test_a_text_is_written_as_it_is_read() -> None:
    assert parse(as_text(parse(TEXT))) == parse(TEXT)


def test_the_difference_has_each_line_once_beside_its_column() -> None:
    found = parse(TEXT.replace("amount", "net").replace("  load  <-\n", ""))
    assert difference(parse(TEXT), parse(TEXT)) == ""
    assert difference(parse(TEXT), found).splitlines() == [
        "  mart.daily",
        "- load  <-",
        "- total <- raw.orders.amount  DIRECT:AGGREGATION, DIRECT:AGGREGATION masking",
        "+ total <- raw.orders.net     DIRECT:AGGREGATION, DIRECT:AGGREGATION masking",
    ]


def test_a_dataset_more_and_one_less_are_differences() -> None:
    other = parse(TEXT.replace("mart.daily", "mart.other"))
    found = difference(parse(TEXT), other).splitlines()
    assert found[0] == "- mart.daily"
    assert "+ mart.other" in found


def test_a_name_may_be_left_out_where_there_is_one_dataset() -> None:
    unnamed = parse("load <-")
    assert fitted(unnamed, {"mart.one": frozenset()}) == {"mart.one": {("load", "", "")}}
    two = {"mart.one": frozenset(), "mart.two": frozenset()}
    assert fitted(unnamed, two) == unnamed  # type: ignore[comparison-overlap]
