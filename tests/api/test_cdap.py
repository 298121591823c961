"""CDAP's questions, on the example of its design document: Employee data from HR and person files.

The pipeline reads two files as text, parses each, makes the employee's fields of both and writes
them. Times are seconds since 1970; the example's run starts at 1442863938.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store
from tests.store.samples import memory_store, run_id

START = 1442863938
NS = "MyNamespace"


def fields(*origins: tuple[str, str]) -> dict[str, Any]:
    return {"fields": [{"origin": origin, "name": name} for origin, name in origins]}


def end_point(name: str) -> dict[str, Any]:
    return {"endPoint": {"namespace": NS, "name": name}}


def operation(name: str, description: str, inputs: Any, outputs: Any) -> dict[str, Any]:
    outputs = outputs if isinstance(outputs, dict) else {"fields": outputs}
    return {"name": name, "description": description, "inputs": inputs, "outputs": outputs}


HR = ("HR File Parser", "Employee_Name"), ("HR File Parser", "Dept_Name")
SSN = ("Person File Parser", "SSN")
OPERATIONS = [
    operation("Person File Reader", "Read Person file.", end_point("PersonFile"), ["body"]),
    operation("HR File Reader", "Read HR file.", end_point("HRFile"), ["body"]),
    operation(
        "Person File Parser",
        "Parse the body field",
        fields(("Person File Reader", "body")),
        ["SSN", "Contact"],
    ),
    operation(
        "HR File Parser",
        "Parse the body field",
        fields(("HR File Reader", "body")),
        ["Employee_Name", "Dept_Name", "Salary", "Start_Date"],
    ),
    operation("GenerateID", "Generate unique Employee Id", fields(*HR, SSN), ["ID"]),
    operation(
        "Employee Data Writer",
        "Write Employee Data",
        fields(("GenerateID", "ID"), *HR, ("Person File Parser", "Contact")),
        end_point("EmployeeData"),
    ),
]
# The writer keeps the parsers' names for the other fields.
MADE_OF = {
    "ID": ("HRFile", "PersonFile"),
    "Employee_Name": ("HRFile",),
    "Dept_Name": ("HRFile",),
    "Contact": ("PersonFile",),
}


def pipeline(number: int, seconds: int, operations: list[dict[str, Any]] = OPERATIONS) -> Any:
    """One run of the pipeline, as OpenLineage event."""
    how = {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "", "masking": False}
    lineage = {
        name: {
            "inputFields": [
                {"namespace": NS, "name": file, "field": "body", "transformations": [how]}
                for file in files
            ]
        }
        for name, files in MADE_OF.items()
    }
    read = {
        "HRFile": {"inputDir": "/data/2017/hr", "regex": "*.csv", "failOnError": "false"},
        "PersonFile": {"inputDir": "/data/2017/person", "regex": "*.csv"},
    }
    return {
        "eventType": "COMPLETE",
        "eventTime": clock.iso(seconds * 1000),
        "run": {
            "runId": run_id(number),
            "facets": {"airflow": {"dag": {"dag_id": "hr"}, "task": {"task_id": "employees"}}},
        },
        "job": {"namespace": "default", "name": "hr.employees"},
        "inputs": [
            {"namespace": NS, "name": name, "facets": {"colgraph_properties": known}}
            for name, known in read.items()
        ],
        "outputs": [
            {
                "namespace": NS,
                "name": "EmployeeData",
                "facets": {
                    "columnLineage": {"fields": lineage},
                    "colgraph_operations": {"operations": operations},
                },
            }
        ],
    }


def report(number: int, seconds: int) -> Any:
    """A job that reads the employee data: for the forward direction and for several levels."""
    source = {"namespace": NS, "name": "EmployeeData", "field": "Dept_Name"}
    return {
        "eventType": "COMPLETE",
        "eventTime": clock.iso(seconds * 1000),
        "run": {"runId": run_id(number)},
        "job": {"namespace": "default", "name": "hr.report"},
        "outputs": [
            {
                "namespace": NS,
                "name": "Report",
                "facets": {"columnLineage": {"fields": {"dept": {"inputFields": [source]}}}},
            }
        ],
    }


@pytest.fixture
def store() -> Iterator[Store]:
    store = memory_store()
    store.add([pipeline(1, START), pipeline(2, START + 86400), report(3, START + 90000)])
    yield store
    store.close()


@pytest.fixture
def client(store: Store) -> TestClient:
    return TestClient(create_app(store))


def ask(client: TestClient, path: str, **parameters: Any) -> Any:
    parameters = {"start": START, "end": START + 18000, **parameters}
    response = client.get(f"/v3/namespaces/{NS}/{path}", params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


# As shipped ---------------------------------------------------------------------------------------


def test_the_fields_of_the_employee_data(client: TestClient) -> None:
    path = "datasets/EmployeeData/lineage/fields"
    assert ask(client, path) == ["Contact", "Dept_Name", "Employee_Name", "ID"]
    assert ask(client, path, prefix="E") == ["Employee_Name"]
    assert ask(client, path, start=0, end=START) == []
    assert ask(client, path, start=0, end=START, prefix="I", includeCurrent=True) == [
        {"name": "ID", "hasLineage": False}
    ]


def test_the_files_that_id_is_made_of(client: TestClient) -> None:
    def entity(name: str) -> dict[str, str]:
        return {"namespace": NS, "dataset": name, "entity": "DATASET"}

    found = ask(client, "datasets/EmployeeData/lineage/fields/ID", direction="incoming")
    assert found == {
        "incoming": [
            {"dataset": entity("HRFile"), "fields": ["body"]},
            {"dataset": entity("PersonFile"), "fields": ["body"]},
        ]
    }
    found = ask(client, "datasets/HRFile/lineage/fields/body", direction="outgoing")
    assert found == {
        "outgoing": [
            {"dataset": entity("EmployeeData"), "fields": ["Dept_Name", "Employee_Name", "ID"]}
        ]
    }


def test_the_operations_that_make_id(client: TestClient) -> None:
    """Only what ID needs: not Salary, Start_Date and Contact; in the order of the flow."""
    found = ask(
        client,
        "datasets/EmployeeData/lineage/fields/ID/operations",
        direction="incoming",
        end=START + 100_000,
    )
    (entry,) = found["incoming"]
    program = {
        "namespace": "default",
        "application": "hr",
        "type": "Workflow",
        "program": "employees",
        "entity": "PROGRAM",
    }
    assert entry["programs"] == [{"program": program, "lastExecutedTimeInSeconds": START + 86400}]
    by_name = {one["name"]: one for one in entry["operations"]}
    expected = {one["name"]: one for one in json.loads(json.dumps(OPERATIONS))}
    expected["HR File Parser"]["outputs"]["fields"] = ["Employee_Name", "Dept_Name"]
    expected["Person File Parser"]["outputs"]["fields"] = ["SSN"]
    expected["Employee Data Writer"]["inputs"] = fields(("GenerateID", "ID"))
    assert by_name == expected
    order = [one["name"] for one in entry["operations"]]
    for one in entry["operations"]:
        for taken in one["inputs"].get("fields", ()):
            assert order.index(taken["origin"]) < order.index(one["name"])


def test_the_operations_that_a_file_goes_through(client: TestClient) -> None:
    path = "datasets/PersonFile/lineage/fields/body/operations"
    (entry,) = ask(client, path, direction="outgoing")["outgoing"]
    assert [one["name"] for one in entry["operations"]] == [
        "Person File Reader",
        "Person File Parser",
        "GenerateID",
        "Employee Data Writer",
    ]


def test_another_way_of_making_a_field_is_another_entry(store: Store, client: TestClient) -> None:
    changed = json.loads(json.dumps(OPERATIONS))
    changed[4]["description"] = "Generate a random Employee Id"
    store.add(pipeline(4, START + 100_000, changed))
    path = "datasets/EmployeeData/lineage/fields/ID/operations"
    found = ask(client, path, direction="incoming", end=START + 200_000)["incoming"]
    assert [
        (
            [one["description"] for one in entry["operations"] if one["name"] == "GenerateID"],
            entry["programs"][0]["lastExecutedTimeInSeconds"],
        )
        for entry in found
    ] == [
        (["Generate unique Employee Id"], START + 86400),
        (["Generate a random Employee Id"], START + 100_000),
    ]
    unchanged = ask(
        client,
        "datasets/EmployeeData/lineage/fields/Contact/operations",
        direction="incoming",
        end=START + 200_000,
    )["incoming"]
    assert len(unchanged) == 1


def test_all_fields_at_once(client: TestClient) -> None:
    found = ask(client, "datasets/EmployeeData/lineage/allfieldlineage", direction="both")
    assert found["direction"] == "BOTH"
    assert (found["start-ts"], found["end-ts"]) == (START, START + 18000)
    assert found["fields"] == ["Contact", "Dept_Name", "Employee_Name", "ID"]
    assert {
        (entry["entityId"]["dataset"], relation["source"], relation["destination"])
        for entry in found["incoming"]
        for relation in entry["relations"]
    } == {(file, "body", name) for name, files in MADE_OF.items() for file in files}
    assert found["outgoing"] == []


def test_which_programs_read_and_wrote(client: TestClient) -> None:
    found = ask(client, "datasets/HRFile/lineage", end=START + 100_000)
    assert {(r["data"], r["program"], *r["accesses"]) for r in found["relations"]} == {
        (f"dataset.{NS}.HRFile", "workflow.default.hr.employees", "read"),
        (f"dataset.{NS}.PersonFile", "workflow.default.hr.employees", "read"),
        (f"dataset.{NS}.EmployeeData", "workflow.default.hr.employees", "write"),
        (f"dataset.{NS}.EmployeeData", "workflow.default.hr.report", "read"),
        (f"dataset.{NS}.Report", "workflow.default.hr.report", "write"),
    }


# As in the design document ------------------------------------------------------------------------


def mapped(answer: list[dict[str, Any]]) -> set[tuple[str, str, str, str]]:
    return {
        (one["source"]["name"], pair["from"], one["Destination"]["name"], pair["to"])
        for one in answer
        for pair in one["fieldmap"]
    }


EMPLOYEES = {(file, "body", "EmployeeData", n) for n, files in MADE_OF.items() for file in files}
REPORT = {("EmployeeData", "Dept_Name", "Report", "dept")}


def test_high_level_lineage_goes_several_levels(client: TestClient) -> None:
    def ask_for(name: str, **more: Any) -> set[tuple[str, str, str, str]]:
        path = f"endpoints/{name}/fields/lineage"
        return mapped(ask(client, path, end=START + 100_000, **more))

    assert ask_for("Report") == EMPLOYEES | REPORT
    assert ask_for("Report", level=1) == REPORT
    assert (
        ask_for("HRFile", direction="forward")
        == {e for e in EMPLOYEES if e[0] == "HRFile"} | REPORT
    )


def test_the_end_of_the_range_is_not_in_it(client: TestClient) -> None:
    def ask_for(start: Any, end: Any) -> set[tuple[str, str, str, str]]:
        return mapped(ask(client, "endpoints/EmployeeData/fields/lineage", start=start, end=end))

    assert ask_for(START, START + 1) == EMPLOYEES
    assert ask_for(START - 10, START) == set()
    assert ask_for(START + 1, START + 86400) == set()
    assert ask_for("now-7d", "now") == set()


def test_the_graph_of_one_field(client: TestClient) -> None:
    """Both files have a `body`: the nodes tell them apart by the operation that they come from."""
    found = ask(client, "endpoints/EmployeeData/fields/ID/lineage", direction="backward")
    assert (found["startTimeInSeconds"], found["endTimeInSeconds"]) == (START, START + 18000)
    nodes = {node["id"]: node for node in found["nodes"]}
    assert nodes == {
        "Person File Reader.body": {
            "id": "Person File Reader.body",
            "label": "body",
            "sourceEndPoint": {"namespace": NS, "name": "PersonFile"},
        },
        "HR File Reader.body": {
            "id": "HR File Reader.body",
            "label": "body",
            "sourceEndPoint": {"namespace": NS, "name": "HRFile"},
        },
        "Person File Parser.SSN": {"id": "Person File Parser.SSN", "label": "SSN"},
        "HR File Parser.Employee_Name": {
            "id": "HR File Parser.Employee_Name",
            "label": "Employee_Name",
        },
        "HR File Parser.Dept_Name": {"id": "HR File Parser.Dept_Name", "label": "Dept_Name"},
        "GenerateID.ID": {
            "id": "GenerateID.ID",
            "label": "ID",
            "destinationEndPoint": {"namespace": NS, "name": "EmployeeData"},
        },
    }
    assert {(c["from"], c["to"], c["operation"]) for c in found["connections"]} == {
        ("Person File Reader.body", "Person File Parser.SSN", "Person File Parser"),
        ("HR File Reader.body", "HR File Parser.Employee_Name", "HR File Parser"),
        ("HR File Reader.body", "HR File Parser.Dept_Name", "HR File Parser"),
        ("HR File Parser.Employee_Name", "GenerateID.ID", "GenerateID"),
        ("HR File Parser.Dept_Name", "GenerateID.ID", "GenerateID"),
        ("Person File Parser.SSN", "GenerateID.ID", "GenerateID"),
    }


def test_fields_with_times_and_run(client: TestClient) -> None:
    found = ask(client, "datasets/EmployeeData/fields")
    assert {"name": "ID", "properties": {"creation_time": START, "last_update_time": START + 86400,
                                          "last_modified_run": run_id(2)}} in found  # fmt: skip
    assert [one["name"] for one in found] == ["Contact", "Dept_Name", "Employee_Name", "ID"]
    assert ask(client, "datasets/EmployeeData/fields", start=0, end=START) == []


def test_properties_per_run(client: TestClient) -> None:
    assert ask(client, "datasets/HRFile/properties") == [
        {
            "programRun": run_id(1),
            "properties": {"inputDir": "/data/2017/hr", "regex": "*.csv", "failOnError": "false"},
        }
    ]
    both = ask(client, "datasets/HRFile/properties", end=START + 100_000)
    assert [one["programRun"] for one in both] == [run_id(2), run_id(1)]


# Wrong questions, odd names -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "parameters", "message"),
    [
        ("datasets/HRFile/lineage/fields", {"start": 5, "end": 4}, "Start 5 is after end 4."),
        (
            "datasets/HRFile/lineage/fields/body",
            {"direction": "sideways"},
            "Direction is 'sideways'. Expected one of: incoming, backward, upstream, outgoing, "
            "forward, downstream, both.",
        ),
        ("datasets/HRFile/lineage", {"levels": 0}, "Levels is 0. Expected 1 or more."),
        ("endpoints/HRFile/fields/lineage", {"level": 0}, "Levels is 0. Expected 1 or more."),
        (
            "datasets/HRFile/lineage/fields",
            {"start": "then"},
            "'then' is not a time. Expected e.g. 2026-11-20T10:00:00Z, seconds since 1970, now "
            "or now-7d.",
        ),
    ],
)
def test_wrong_questions(
    client: TestClient, path: str, parameters: dict[str, Any], message: str
) -> None:
    parameters = {"start": 0, "end": 9, **parameters}
    response = client.get(f"/v3/namespaces/{NS}/{path}", params=parameters)
    assert (response.status_code, response.json()) == (400, {"error": message})


def test_without_a_range(client: TestClient) -> None:
    response = client.get(f"/v3/namespaces/{NS}/datasets/HRFile/lineage/fields")
    assert response.json() == {"error": "start: Field required; end: Field required."}
    assert response.status_code == 400


def test_names_with_slashes_and_colons(store: Store, client: TestClient) -> None:
    text = json.dumps(pipeline(9, START)).replace(NS, "s3://b:1").replace("EmployeeData", "a/b:c")
    store.add(json.loads(text))
    namespace, name = quote("s3://b:1", safe=""), quote("a/b:c", safe="")
    for path in (f"datasets/{name}/lineage/fields/ID", f"datasets/{name}/lineage/fields"):
        url = f"/v3/namespaces/{namespace}/{path}?start=0&end=now"
        assert client.get(url).status_code == 200
    found = client.get(
        f"/v3/namespaces/{namespace}/endpoints/{name}/fields/lineage?start=0&end=now"
    )
    assert {one["Destination"]["namespace"] for one in found.json()} == {"s3://b:1"}


def test_operations_of_a_producer_that_reports_none(client: TestClient) -> None:
    path = "datasets/Report/lineage/fields/dept/operations"
    found = ask(client, path, direction="incoming", end=START + 100_000)
    (entry,) = found["incoming"]
    assert [(one["name"], one["description"]) for one in entry["operations"]] == [
        ("read 1", "read EmployeeData"),
        ("make dept", "DIRECT"),
        ("write", "write Report"),
    ]
