"""Starts the collector in a PySpark application that knows nothing of it.

This file is `sitecustomize.py` in the collector's zip, so Python runs it before the application.
It hands each SparkContext and SparkSession to the listener, and informs the listener when a
SparkContext stops, when a DataFrame is used as an RDD, when a function was run for each row, when
one is handed to Spark, when a SQL text was run, when a declarative pipeline was resolved and how
the process ends. Nothing here fails the application: the edge is `Application.run_or_disable`. With
COLGRAPH_DEBUG in the environment it also prints the traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_colgraph.collector.driver.exit_status import ExitStatus

CONTEXTS = ("pyspark.core.context", "pyspark.context")  # the second is where Spark 3 has it
RDDS = ("pyspark.core.rdd", "pyspark.rdd")
STREAMS = ("pyspark.sql.streaming.readwriter", "pyspark.sql.streaming")
FRAMES = ("pyspark.sql.classic.dataframe", "pyspark.sql.dataframe")
FOLLOWED_CALLS = (  # of RDDs, that are remembered with their functions
    *("map", "filter", "flatMap", "mapPartitions", "mapValues", "keyBy", "keys", "values"),
    *("reduceByKey", "groupByKey", "join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin"),
    *("union", "distinct", "sortBy", "sortByKey", "repartition", "coalesce", "partitionBy"),
    *("mapPartitionsWithIndex", "flatMapValues", "groupBy", "cogroup", "zip", "cartesian"),
    *("aggregateByKey", "combineByKey", "foldByKey", "subtractByKey", "subtract"),
    *("intersection", "zipWithIndex", "zipWithUniqueId", "glom", "sample"),
)
SAVES = (
    *("saveAsHadoopDataset", "saveAsHadoopFile", "saveAsNewAPIHadoopDataset"),
    *("saveAsNewAPIHadoopFile", "saveAsPickleFile", "saveAsSequenceFile", "saveAsTextFile"),
)
NO_SAVES = "an RDD that was saved is only counted"  # likewise
NO_RDDS = "DataFrames that are used as RDDs are not reported"  # if the hook cannot be set
NO_TEXTS = "procedures that are called and tables that are dropped may be missing"  # likewise
SESSION = "pyspark.sql.session"
UDFS = "pyspark.sql.udf"
NO_FUNCTIONS = "Python functions are reported without their source"  # likewise
PIPELINES = "pyspark.pipelines.spark_connect_pipeline"
PROPERTIES = "PYSPARK_REMOTE_INIT_CONF_"
MOST_BYTES = 100_000  # of a variable: Linux has 128 KiB


def start() -> None:
    """Follow the Spark sessions that this process may come to have."""
    if is_worker() or is_following():
        return
    application = Application()
    application.run_or_disable("loading the collector", load_the_package)
    application.run_or_disable("joining the properties", join_properties, os.environ)
    application.run_or_disable("following sys.exit", application.follow_exit)
    sys.meta_path.insert(0, Finder(application))


def load_the_package() -> None:
    """Let every module of ours come from this zip.

    Spark puts a copy of it first on the path, and removes that when a SparkContext stops.
    """
    from airflow_colgraph.collector.driver import exit_status  # noqa: F401


def join_properties(environment: MutableMapping[str, str]) -> None:
    """Let PySpark read all properties of a driver that starts a Spark Connect server of its own.

    spark-submit hands them on in parts of ten properties, and PySpark 4.1 to 4.3 uses the last part
    only: with our properties a job could lose some of its own.
    """
    count = int(environment.get(f"{PROPERTIES}LEN", "0"))
    if count < 2:
        return
    import json

    joined = {}
    for part in range(count):
        joined.update(json.loads(environment[f"{PROPERTIES}{part}"]))
    text = json.dumps(joined)
    if len(text) <= MOST_BYTES:
        environment[f"{PROPERTIES}{count - 1}"] = text


def is_following() -> bool:
    """Whether this process was begun by `start`, of this zip or of another copy of it."""
    return any(getattr(finder, "follows_sessions", False) for finder in sys.meta_path)


def is_worker() -> bool:
    """Whether this is one of Spark's Python workers, which inherit the driver's path."""
    started_as = getattr(sys, "orig_argv", [])  # from Python 3.10 on
    return any(name.startswith("PYTHON_WORKER_FACTORY_") for name in os.environ) or any(
        name in started_as for name in ("pyspark.daemon", "pyspark.worker")
    )


class Application:
    """The driver's process: its sessions, and how it ends."""

    _exit: ExitStatus

    def __init__(self, followed_in: int = 0) -> None:
        """Nothing has happened yet, or the process `followed_in` has a context already."""
        self.on = True
        self._followed_in = followed_in  # the process that has a context; a fork of it has none

    def run_or_disable(self, doing: str, act: Callable[..., None], *arguments: Any) -> None:
        """Do it; if that fails, say so in one line, and do nothing more from then on."""
        failed = f"lineage is off for this application: {doing} failed"
        self.on = self.attempt(failed, act, *arguments)

    def attempt(self, failed: str, act: Callable[..., None], *arguments: Any) -> bool:
        """Do it while the collector is on; if that fails, say `failed` and why in one line."""
        if not self.on:
            return False
        try:
            act(*arguments)
        except Exception as error:  # noqa: BLE001 -- the edge: the user's job goes on
            lines = str(error).strip().splitlines() or [""]
            _warn(f"{failed}: {type(error).__name__}: {lines[0]}".rstrip(": "))
            if os.environ.get("COLGRAPH_DEBUG"):
                import traceback

                traceback.print_exc()
            return False
        return True

    # Contexts and sessions --------------------------------------------------------------------

    def follow_contexts(self, module: ModuleType) -> None:
        """Hand every SparkContext to the listener: a program may make no session."""
        context_class = module.SparkContext
        if context_class.__module__ != module.__name__:  # Spark 4 has it there by its old name
            return
        self.follow_each(context_class, self.begun)

    def follow_rdds(self, module: ModuleType) -> None:
        """Tell the listener of what is done with RDDs: Spark reports no query.

        Functions may be run for their effects, and rows may be saved to files.
        """
        from airflow_colgraph.collector.driver.method_hooks import with_result

        for name in ("foreach", "foreachPartition"):
            with_result(module.RDD, name, partial(self.attempt, NO_RDDS, self.ran_for_each, name))
        for name in SAVES:
            with_result(module.RDD, name, partial(self.attempt, NO_SAVES, self.saved_rdd, name))

    def saved_rdd(self, name: str, rdd: Any, arguments: Any, options: Any, nothing: object) -> None:
        """An RDD has been saved to files."""
        from airflow_colgraph.collector.driver import listener

        if self._followed_in == os.getpid():
            listener.saved_rdd(name, rdd, arguments, options)

    def follow_calls(self, module: ModuleType) -> None:
        """Follow RDDs, and remember the functions that they are made by."""
        from airflow_colgraph.collector.driver.method_hooks import with_result

        self.follow_rdds(module)
        for name in {*FOLLOWED_CALLS} & {*vars(module.RDD)}:
            with_result(module.RDD, name, partial(self.attempt, NO_RDDS, self.made_rdd, name))

    def made_rdd(self, name: str, rdd: Any, arguments: Any, options: Any, made: Any) -> None:
        """A method has made an RDD of another one."""
        from airflow_colgraph.collector.python_functions.rdd_frames import RDD_CALLS

        if self._followed_in == os.getpid():
            RDD_CALLS.add(name, rdd, arguments, options, made)

    def ran_for_each(
        self, name: str, rdd: Any, arguments: Any, options: Any, nothing: object
    ) -> None:
        """A function has been run for each row, or each partition, of an RDD."""
        from airflow_colgraph.collector.driver import listener

        if self._followed_in == os.getpid():
            listener.ran_for_each(name, *arguments, *options.values())

    def follow_streams(self, module: ModuleType) -> None:
        """Tell the listener of the functions that streams hand their rows or batches to."""
        from airflow_colgraph.collector.driver.method_hooks import with_result

        writer = module.DataStreamWriter
        for name in ("foreach", "foreachBatch") if writer.__module__ == module.__name__ else ():
            with_result(writer, name, partial(self.attempt, NO_FUNCTIONS, self.streams_to, name))

    def streams_to(
        self, name: str, writer: Any, arguments: Any, options: Any, answer: object
    ) -> None:
        """A stream was given a function."""
        from airflow_colgraph.collector.driver import listener

        if self._followed_in == os.getpid():
            listener.streams_to(name, *arguments, *options.values())

    def follow_frames(self, module: ModuleType) -> None:
        """Tell the listener of each DataFrame that is used as an RDD: Spark reports no query."""
        from airflow_colgraph.collector.driver.method_hooks import named_as

        attribute = vars(module.DataFrame)["rdd"]
        original: Any = attribute.fget if isinstance(attribute, property) else attribute.func

        def rdd(frame: Any) -> Any:
            is_new = getattr(frame, "_lazy_rdd", None) is None  # Spark 4 asks once
            result = original(frame)
            if is_new:
                self.attempt(NO_RDDS, self.used_as_rdd, frame, result)
            return result

        named_as(original, rdd)
        for method in ("toPandas", "collect"):
            self.follow_reads(module, method)
        if isinstance(attribute, property):
            module.DataFrame.rdd = property(rdd)
        else:
            attribute.func = rdd

    def follow_reads(self, module: ModuleType, method: str) -> None:
        """Remember where in its text the program gets the rows of a DataFrame by a method."""
        from airflow_colgraph.collector.driver.method_hooks import with_result

        owners = [each for each in module.DataFrame.__mro__ if method in vars(each)]
        act = partial(self.has_read, method)
        for owner in owners[:1]:
            with_result(owner, method, partial(self.attempt, NO_FUNCTIONS, act))

    def has_read(self, method: str, frame: Any, arguments: Any, options: Any, data: object) -> None:
        """The rows of a DataFrame were read."""
        if self.is_followed():
            from airflow_colgraph.collector.python_functions.driver_frames import DRIVER_FRAMES

            DRIVER_FRAMES.read(frame, method)

    def used_as_rdd(self, frame: Any, rdd: Any) -> None:
        """The RDD of a DataFrame was made."""
        from airflow_colgraph.collector.driver import listener
        from airflow_colgraph.collector.python_functions.rdd_frames import RDD_CALLS

        if self._followed_in == os.getpid():
            listener.used_as_rdd(frame)
            RDD_CALLS.add_frame(frame, rdd)

    def follow_sessions(self, module: ModuleType) -> None:
        """Hand every SparkSession to the listener once it exists."""
        self.follow_each(module.SparkSession, self.created)
        self.attempt(NO_TEXTS, self.follow_texts, module)
        self.attempt(NO_FUNCTIONS, self.follow_new_frames, module)

    def follow_new_frames(self, module: ModuleType) -> None:
        """Remember what each DataFrame that comes from an RDD was made by."""
        from airflow_colgraph.collector.driver.method_hooks import with_result

        act = partial(self.attempt, NO_FUNCTIONS, self.made_frame)
        if "_create_dataframe" in vars(module.SparkSession):  # else RDDs are opaque
            with_result(module.SparkSession, "_create_dataframe", act)
        of_rows = partial(self.attempt, NO_FUNCTIONS, self.made_of_rows)
        if "createDataFrame" in vars(module.SparkSession):
            with_result(module.SparkSession, "createDataFrame", of_rows)

    def made_of_rows(self, session: Any, arguments: Any, options: Any, frame: Any) -> None:
        """A DataFrame was made, perhaps of a pandas one, or of a list."""
        data = arguments[0] if arguments else options.get("data")
        if not self.is_followed() or not (isinstance(data, list) or is_of_pandas(data)):
            return
        from airflow_colgraph.collector.driver import listener
        from airflow_colgraph.collector.python_functions.rdd_frames import became_frame_of_rows
        from airflow_colgraph.collector.python_functions.remembered import FUNCTIONS

        schema = schema_of(arguments, options)
        for number, java in became_frame_of_rows(FUNCTIONS, data, frame, schema).items():
            listener.read_by_driver(number, java)

    def made_frame(self, session: Any, arguments: Any, options: Any, frame: Any) -> None:
        """A DataFrame was made, perhaps of an RDD."""
        data = arguments[0] if arguments else options.get("data")
        if self._followed_in != os.getpid() or not hasattr(data, "mapPartitions"):
            return
        from airflow_colgraph.collector.python_functions.rdd_frames import became_frame
        from airflow_colgraph.collector.python_functions.remembered import FUNCTIONS

        became_frame(FUNCTIONS, data, frame, schema_of(arguments, options))

    def follow_texts(self, module: ModuleType) -> None:
        """Tell the listener of each SQL text: it may drop a table, or call a procedure."""
        from airflow_colgraph.collector.driver.method_hooks import around
        from airflow_colgraph.collector.driver.running_text import RunningText

        around(module.SparkSession, "sql", "sqlQuery", partial(RunningText, self))

    def is_followed(self) -> bool:
        """Whether this process, and not a fork of it, has a context that is followed."""
        return self._followed_in == os.getpid()

    def follow_functions(self, module: ModuleType) -> None:
        """Remember each Python function that is about to be pickled: Spark's plan has its bytes."""
        from airflow_colgraph.collector.driver.method_hooks import before

        act = partial(self.attempt, NO_FUNCTIONS, self.pickling)
        before(module.UserDefinedFunction, "_create_judf", act)

    def pickling(self, udf: Any) -> None:
        """A function is about to be pickled."""
        from airflow_colgraph.collector.python_functions.remembered import FUNCTIONS

        FUNCTIONS.add(udf._name, udf.evalType, udf.returnType.jsonValue(), udf.func)

    def follow_each(self, followed: type, started: Callable[[Any], None]) -> None:
        """Call `started` with each object of a class, once it is whole."""
        from airflow_colgraph.collector.driver.method_hooks import after

        after(followed, "__init__", partial(self.run_or_disable, "starting the collector", started))

    def follow_pipelines(self, module: ModuleType) -> None:
        """Tell the listener of each declarative pipeline that was run, or only resolved."""
        from airflow_colgraph.collector.driver.method_hooks import named_as

        original = module.start_run

        def start_run(spark: Any, graph: str, *arguments: Any, **options: Any) -> Any:
            yield from original(spark, graph, *arguments, **options)
            is_dry = bool(options.get("dry"))
            self.run_or_disable("reading the pipeline's graph", self.resolved, graph, is_dry)

        module.start_run = named_as(original, start_run)  # type: ignore[attr-defined]

    def resolved(self, graph: str, is_dry: bool) -> None:
        """A pipeline was run, or, if `is_dry`, only resolved."""
        from airflow_colgraph.collector.driver import listener

        if self._followed_in == os.getpid():
            listener.resolved(graph, is_dry)

    def begun(self, context: Any) -> None:
        """A context exists."""
        from airflow_colgraph.collector.driver.standard_modules import standard_modules

        with standard_modules():
            from airflow_colgraph.collector.driver import listener

        if self._followed_in != os.getpid():
            import atexit

            self._followed_in = os.getpid()
            self._exit.prepare()
            self.follow_stop(type(context))
            atexit.register(self.run_or_disable, "finishing", self.ended)
        listener.follow(context)

    def created(self, session: Any) -> None:
        """A session exists."""
        if self._followed_in != os.getpid():  # a SparkContext that nobody saw begin
            self.begun(session.sparkContext)
        from airflow_colgraph.collector.driver import listener

        listener.install_when_used(session)

    def follow_stop(self, context_class: type) -> None:
        """Let the listener read what is pending before a SparkContext is gone."""
        from airflow_colgraph.collector.driver.method_hooks import before

        owner = next(each for each in context_class.__mro__ if "stop" in vars(each))
        before(owner, "stop", partial(self.run_or_disable, "draining", self.stopping))

    def stopping(self, context: Any) -> None:
        """The context is about to stop."""
        from airflow_colgraph.collector.driver import listener

        if self._followed_in == os.getpid():
            listener.stopping(context)

    # The end ----------------------------------------------------------------------------------

    def follow_exit(self) -> None:
        """Remember the application's exit code, which Python does not expose."""
        from airflow_colgraph.collector.driver.exit_status import ExitStatus

        self._exit = ExitStatus()
        self._exit.follow()

    def ended(self) -> None:
        """The process ends: say how."""
        from airflow_colgraph.collector.driver import listener

        if self._followed_in == os.getpid():
            listener.finish(*self._exit.outcome())


def is_of_pandas(data: object) -> bool:
    """Whether something is a pandas DataFrame, without importing pandas."""
    kind = type(data)
    return kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas"


def schema_of(arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """The schema, or names, that `createDataFrame` was called with."""
    return arguments[1] if len(arguments) > 1 else options.get("schema")


def _warn(what: str) -> None:
    try:
        from airflow_colgraph.collector.driver.warnings import say_once
    except (ImportError, OSError):  # this file alone, without its package
        if sys.stderr is not None:
            sys.stderr.write(f"colgraph: {what}\n")
    else:
        say_once(f"colgraph: {what}")


# The import of pyspark's modules --------------------------------------------------------------


class Finder:
    """Finds a few modules as everyone else does, and puts a `Loader` around their loaders."""

    follows_sessions = True

    def __init__(self, application: Application) -> None:
        """For one application."""
        self._followers = {
            **dict.fromkeys(CONTEXTS, application.follow_contexts),
            **dict.fromkeys(RDDS, application.follow_calls),
            **dict.fromkeys(FRAMES, application.follow_frames),
            **dict.fromkeys(STREAMS, application.follow_streams),
            SESSION: application.follow_sessions,
            UDFS: application.follow_functions,
            PIPELINES: application.follow_pipelines,
        }
        self._application = application
        self._asking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The spec of a module that is followed; None for every other module."""
        if name not in self._followers or self._asking:
            return None
        self._asking = True  # others, too, find modules by asking all finders
        try:
            specs = (find(name, path, target) for find in self._others())
            spec = next((spec for spec in specs if spec is not None), None)
        finally:
            self._asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = Loader(spec.loader, self._application, self._followers[name])
        return spec

    def _others(self) -> list[Any]:
        finders = [getattr(finder, "find_spec", None) for finder in sys.meta_path]
        return [find for find in finders if find is not None and find != self.find_spec]


class Loader:
    """Loads by another loader, then follows what the module makes.

    An object of our own, because the modules of a zip share one loader: changing that one would
    change how all of them are loaded.
    """

    def __init__(
        self, loader: Any, application: Application, follow: Callable[[ModuleType], None]
    ) -> None:
        """Around `loader`; `follow` is called with the module."""
        self._loader = loader
        self._application = application
        self._follow = follow

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module object that the other loader wants, if it wants one."""
        create = getattr(self._loader, "create_module", None)
        return create(spec) if create else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the module as if we were not there."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        _run(self._loader, module)
        if module.__name__ in {UDFS, *STREAMS}:
            self._application.attempt(NO_FUNCTIONS, self._follow, module)
        elif module.__name__ in {*RDDS, *FRAMES}:  # all else is reported without them
            self._application.attempt(NO_RDDS, self._follow, module)
        else:
            self._application.run_or_disable(f"observing {module.__name__}", self._follow, module)


def _run(loader: Any, module: ModuleType) -> None:
    if hasattr(loader, "exec_module"):
        loader.exec_module(module)
    else:  # a zip on Python 3.9
        exec(loader.get_code(module.__name__), module.__dict__)


# The sitecustomize that would have been run without us ----------------------------------------


def run_the_next(own_file: str) -> None:
    """Run the `sitecustomize` that ours hides, as `sitecustomize`; its errors are its own."""
    own = os.path.dirname(own_file)
    after = sys.path[sys.path.index(own) + 1 :] if own in sys.path else sys.path
    spec = PathFinder.find_spec("sitecustomize", [path for path in after if path != own])
    if spec is None or spec.loader is None or spec.origin is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    _run(spec.loader, module)


if __name__ == "sitecustomize":
    start()
    run_the_next(__file__)
