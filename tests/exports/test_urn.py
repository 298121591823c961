"""URNs of datasets and fields: writing, reading back, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_colgraph.exports.datahub.urn import (
    ENVIRONMENTS,
    DatasetUrn,
    FieldUrn,
    UrnError,
    decode,
    encode,
    parse_dataset,
    parse_field,
)

KAFKA = "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD)"
HDFS = "urn:li:dataset:(urn:li:dataPlatform:hdfs,/demo/fact_orders,PROD)"

# the URNs of the RFC's text, and today's
FIELDS = {
    f"urn:li:datasetField:({KAFKA},/restaurant)": FieldUrn(
        DatasetUrn("kafka", "demo.orders"), "/restaurant", "datasetField"
    ),
    f"urn:li:datasetField:({KAFKA},/header/customerId)": FieldUrn(
        DatasetUrn("kafka", "demo.orders"), "/header/customerId", "datasetField"
    ),
    f"urn:li:datasetField:({HDFS},/customerId)": FieldUrn(
        DatasetUrn("hdfs", "/demo/fact_orders"), "/customerId", "datasetField"
    ),
    f"urn:li:datasetField:({KAFKA},/foo2/bar2/int)": FieldUrn(
        DatasetUrn("kafka", "demo.orders"), "/foo2/bar2/int", "datasetField"
    ),
    f"urn:li:schemaField:({KAFKA},header.customerId)": FieldUrn(
        DatasetUrn("kafka", "demo.orders"), "header.customerId"
    ),
    f"urn:li:schemaField:({KAFKA},[version=2.0].[type=long].id)": FieldUrn(
        DatasetUrn("kafka", "demo.orders"), "[version=2.0].[type=long].id"
    ),
    "urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:x,a%2Cb%28c%29,DEV),sum%28a%2Cb%29)": (
        FieldUrn(DatasetUrn("x", "a,b(c)", "DEV"), "sum(a,b)")
    ),
}


@pytest.mark.parametrize("urn", FIELDS)
def test_field_urns_are_read_and_written(urn: str) -> None:
    assert parse_field(urn) == FIELDS[urn]
    assert str(FIELDS[urn]) == urn


@pytest.mark.parametrize(
    ("urn", "path"),
    [
        (f"urn:li:schemaField:({KAFKA},sum(a,b))", "sum(a,b)"),
        (f"urn:li:schemaField:({KAFKA},a),PROD),b)", "a),PROD),b"),
        (f"urn:li:schemaField:({KAFKA},a)b)", "a)b"),
        (f"urn:li:schemaField:({KAFKA},two\nlines)", "two\nlines"),
    ],
)
def test_raw_field_urns_are_read_and_come_out_escaped(urn: str, path: str) -> None:
    found = parse_field(urn)
    assert found == FieldUrn(DatasetUrn("kafka", "demo.orders"), path)
    assert parse_field(str(found)) == found
    assert str(found) == f"urn:li:schemaField:({KAFKA},{encode(path)})"


def test_a_raw_dataset_name_with_commas_is_read() -> None:
    raw = "urn:li:dataset:(urn:li:dataPlatform:s3,a,b(c),PROD)"
    assert parse_dataset(raw) == DatasetUrn("s3", "a,b(c)")


def test_only_four_characters_are_escaped() -> None:
    assert encode("a,b(c)d\u241fe%f g/h:ä") == "a%2Cb%28c%29d%E2%90%9Fe%f g/h:ä"
    assert decode("a%2cb%28c%29d%e2%90%9Fe%f%20g") == "a,b(c)d\u241fe%f%20g"


TEXT = st.text(min_size=1, max_size=40).filter(lambda t: "%" not in t)


@given(TEXT, TEXT, st.sampled_from(ENVIRONMENTS))
def test_any_name_can_be_read_back(name: str, path: str, env: str) -> None:
    field = FieldUrn(DatasetUrn("kafka", name, env), path)
    if "\n" not in name:
        assert parse_dataset(str(field.dataset)) == field.dataset
        assert parse_field(str(field)) == field


MALFORMED_DATASETS = [
    "",
    "demo.orders",
    "urn:li:dataset:demo.orders",
    "urn:li:dataset:(kafka,demo.orders,PROD)",
    "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders)",
    "urn:li:dataset:(urn:li:dataPlatform:kafka,,PROD)",
    "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,LIVE)",
    "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD",
]


@pytest.mark.parametrize("urn", MALFORMED_DATASETS)
def test_malformed_dataset_urns(urn: str) -> None:
    with pytest.raises(UrnError) as caught:
        parse_dataset(urn)
    assert str(caught.value) == (
        f"'{urn}' is not a dataset URN. Expected "
        "urn:li:dataset:(urn:li:dataPlatform:<platform>,<name>,<ENV>)."
    )


@pytest.mark.parametrize(
    "urn",
    [
        KAFKA,
        f"urn:li:schemaField:({KAFKA})",
        f"urn:li:schemaField:({KAFKA},)",
        f"urn:li:field:({KAFKA},a)",
        f"urn:li:schemaField:({KAFKA},a",
        *(f"urn:li:schemaField:({urn},a)" for urn in MALFORMED_DATASETS),
    ],
)
def test_malformed_field_urns(urn: str) -> None:
    with pytest.raises(UrnError, match=r"is not a field URN\. Expected urn:li:schemaField:"):
        parse_field(urn)


def test_the_path_of_a_dataset_field_starts_with_a_slash() -> None:
    with pytest.raises(UrnError, match=r"customerId\)' does not start with '/'\.$"):
        parse_field(f"urn:li:datasetField:({KAFKA},customerId)")


def long_field(path: int, urn: int) -> FieldUrn:
    fixed = len(str(FieldUrn(DatasetUrn("k", "n"), "/", "datasetField"))) - 2
    return FieldUrn(DatasetUrn("k", "n" * (urn - fixed - path)), "/" * path, "datasetField")


@pytest.mark.parametrize(("path", "urn"), [(500, 600), (300, 807)])
def test_the_limits_of_a_dataset_field(path: int, urn: int) -> None:
    assert len(str(long_field(path, urn))) == urn


@pytest.mark.parametrize(
    ("path", "urn", "message"),
    [
        (501, 600, "^Field path '//.*' has 501 characters, more than the 500 that DataHub allows"),
        (300, 808, "^URN 'urn:.*' has 808 characters, more than the 807 that DataHub allows"),
    ],
)
def test_over_the_limits_of_a_dataset_field(path: int, urn: int, message: str) -> None:
    field = long_field(path, urn)
    with pytest.raises(UrnError, match=message):
        str(field)
    assert len(str(FieldUrn(field.dataset, field.path))) == urn - 1  # schemaField has no limit


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (FieldUrn(DatasetUrn("k", "n", "LIVE"), "a"), "DataHub has no environment 'LIVE'."),
        (FieldUrn(DatasetUrn("", "n"), "a"), "A dataset needs a platform and a name"),
        (FieldUrn(DatasetUrn("k", ""), "a"), "A dataset needs a platform and a name"),
        (FieldUrn(DatasetUrn("k", "n"), ""), "has an empty path"),
    ],
)
def test_what_may_not_be_written(field: FieldUrn, message: str) -> None:
    with pytest.raises(UrnError, match=message):
        str(field)
