"""What the rows of an RDD were read from: `df.rdd` and back, text files, Python's own data.

Spark keeps no plan with an RDD, but its parents lead back to the files. Which of their columns an
output is made of nobody knows, nor what a broadcast join brought in: such a leaf is told as made
of all that was read, and as opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from airflow_colgraph.collector.catalog import Catalog, paths_named
from airflow_colgraph.collector.jvm import Java, seq, short_class_name
from airflow_colgraph.collector.plan import Row
from airflow_colgraph.collector.reads import READS, Read
from airflow_colgraph.collector.rules import rule_in

MOST_RDDS = 300  # of one leaf's parents that are looked at
MOST_FILES = 100  # of one scan that are looked at
MADE = {"ParallelCollectionRDD", "EmptyRDD"}  # of the program's own data
INPUT_PATHS = "mapreduce.input.fileinputformat.inputdir"


@rule_in(READS, "LogicalRDD")
def _rdd(leaf: Java, row: Row, catalog: Catalog) -> Read | None:
    roots = list(roots_of(leaf.rdd()))
    kinds = [short_class_name(root) for root in roots]
    if kinds and set(kinds) <= MADE:
        row["made"] = True  # as a LocalRelation
        return None
    found = [ROOTS[name](root) for name, root in zip(kinds, roots) if name in ROOTS]
    origins = tuple(read for read in found if read is not None)
    if any("/_delta_log" in named.dataset.name for read in origins for named in read.datasets):
        return None  # Delta's own
    return Read((), (), {}, "rdd", origins) if origins else None


def roots_of(rdd: Java) -> Iterator[Java]:
    """The RDDs that have no parents, among the ancestors of one."""
    seen, stack = {rdd.id()}, [rdd]
    while stack and len(seen) < MOST_RDDS:
        found = stack.pop()
        parents = [dependency.rdd() for dependency in seq(found.dependencies())]
        if not parents:
            yield found
        new = [parent for parent in parents if parent.id() not in seen]
        seen.update(parent.id() for parent in new)
        stack.extend(new)


def _files(root: Java) -> Read | None:
    """What a scan of files reads: its folders, and the columns that the query before it needed."""
    files = (file for partition in seq(root.filePartitions()) for file in partition.files())
    found = (str(file.filePath().toString()) for file in islice(files, MOST_FILES))
    paths = list(dict.fromkeys(name.rpartition("/")[0] for name in found))
    if not paths:
        return None
    names = [str(name) for name in root.readSchema().fieldNames()]
    types = [str(root.readSchema().apply(name).dataType().typeName()) for name in names]
    parts = [step.partition("=")[0] for step in paths[0].split("/") if "=" in step]
    columns = [*zip(names, types), *((name, "string") for name in parts)]
    return Read(paths_named(paths), tuple(columns))


def _hadoop(configuration: Callable[[Java], Java]) -> Callable[[Java], Read | None]:
    """What Hadoop's own reading reads: places, whose columns Spark does not know."""

    def read(root: Java) -> Read | None:
        paths = configuration(root).get(INPUT_PATHS)
        return Read(paths_named(str(paths).split(",")), ()) if paths else None

    return read


ROOTS: dict[str, Callable[[Java], Read | None]] = {
    "FileScanRDD": _files,
    "HadoopRDD": _hadoop(lambda root: root.getJobConf()),
    "NewHadoopRDD": _hadoop(lambda root: root.getConf()),
}
