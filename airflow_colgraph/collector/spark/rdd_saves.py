"""What a program saves of an RDD: Spark has no query of it, but PySpark's method has the place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airflow_colgraph.collector.model import NO_NOTES, Ids, Query, Write
from airflow_colgraph.collector.plan import Rows
from airflow_colgraph.collector.spark.catalog import paths_named
from airflow_colgraph.collector.spark.jvm import Java, java_class
from airflow_colgraph.collector.spark.rdds import rows_of
from airflow_colgraph.collector.spark.reads import CONSTANT

FORMATS = {  # methods of PySpark's RDD, and the format that each writes
    "saveAsHadoopDataset": "hadoop",
    "saveAsHadoopFile": "hadoop",
    "saveAsNewAPIHadoopDataset": "hadoop",
    "saveAsNewAPIHadoopFile": "hadoop",
    "saveAsPickleFile": "sequencefile",
    "saveAsSequenceFile": "sequencefile",
    "saveAsTextFile": "text",
}
OUTPUT_PATHS = ("mapreduce.output.fileoutputformat.outputdir", "mapred.output.dir")
LINES = (("value", "string"),)  # as text files are read back
IDS: Ids = (0,)
ROWS: Rows = [
    {
        "class": "org.apache.spark.sql.execution.LogicalRDD",
        "num-children": 0,
        "output": [
            [
                {
                    "class": "org.apache.spark.sql.catalyst.expressions.AttributeReference",
                    "num-children": 0,
                    "name": "value",
                    "dataType": "string",
                    "exprId": {"id": 0},
                }
            ]
        ],
    }
]


def saved_to(method: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> str:
    """The path that a call of one of the methods names; an empty text if it names none.

    >>> saved_to("saveAsTextFile", ["/out"], {}), saved_to("saveAsTextFile", [], {"path": "/out"})
    ('/out', '/out')
    >>> saved_to("saveAsHadoopDataset", [{"mapred.output.dir": "/out"}], {})
    '/out'
    """
    if not method.endswith("Dataset"):
        return str(arguments[0] if arguments else options["path"])
    conf = arguments[0] if arguments else options["conf"]
    return str(next((conf[name] for name in OUTPUT_PATHS if conf.get(name)), ""))


def save(context: Java, rdd: Java, method: str, path: str) -> Query:
    """The save of an RDD as a query: the columns of text are known, of other files they are not."""
    read, form = rows_of(rdd), FORMATS[method]
    named = paths_named([qualified(context, path)])[0]
    is_constant = read is CONSTANT
    return Query(
        method,
        "",
        ROWS,
        {},
        {},
        Write(named, LINES if form == "text" else (), "CREATE", form),
        rdds={} if is_constant else {IDS: read},
        notes=NO_NOTES._replace(constant_rdds=frozenset([IDS] if is_constant else [])),
        has_local_rows=is_constant or read.is_mixed,
    )


def qualified(context: Java, path: str) -> str:
    """A path with its file system and folder."""
    place = java_class(context, "org.apache.hadoop.fs.Path")(path)
    files = place.getFileSystem(context.hadoopConfiguration())
    return str(files.makeQualified(place).toString())
