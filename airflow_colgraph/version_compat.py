"""What differs between versions of Airflow and its providers: the one file that knows.

Everything else imports these names and asks no version.
"""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any, NamedTuple

try:
    from airflow.providers.common.compat.sdk import (
        AirflowFailException,
        AirflowSkipException,
        BaseHook,
        BaseOperator,
        TaskDeferred,
        conf,
    )
except ImportError:  # providers of 2023 (Airflow 2.7)
    from airflow.configuration import conf
    from airflow.exceptions import AirflowFailException, AirflowSkipException, TaskDeferred
    from airflow.hooks.base import BaseHook
    from airflow.models import BaseOperator
from airflow.exceptions import AirflowConfigException as ConfigException
from airflow.exceptions import AirflowException

try:
    from airflow.sdk.log import mask_secret
except ImportError:  # Airflow 2
    from airflow.utils.log.secrets_masker import mask_secret
try:
    from airflow.sdk import get_current_context
except ImportError:  # Airflow 2
    from airflow.operators.python import get_current_context
try:
    from airflow.sdk.observability.stats import Stats as stats
except ImportError:  # before Airflow 3.2
    from airflow.stats import Stats as stats
try:
    from airflow.sdk import BaseOperatorLink

    HAS_PAGE = True
except ImportError:  # Airflow 2 does not show the page, so there is nothing to link to
    BaseOperatorLink, HAS_PAGE = object, False

try:
    from airflow.providers.openlineage.extractors import BaseExtractor, OperatorLineage
    from airflow.providers.openlineage.plugins import macros
except ImportError:
    macros = None
try:
    from openlineage.airflow import adapter as legacy  # openlineage-airflow, before the provider
except ImportError:
    legacy = None

if macros is None and legacy is not None:
    from openlineage.airflow.extractors import base
    from openlineage.airflow.extractors.base import OperatorLineage

    class BaseExtractor(base.BaseExtractor):  # type: ignore[no-redef,misc]
        """The legacy base class, asked at the start by the name that the provider's has."""

        def extract(self) -> Any:
            """What is known before the task runs."""
            return self._execute_extraction()

elif macros is None:  # neither is installed: nothing will ask for lineage
    BaseExtractor = object
    OperatorLineage = None

__all__ = [
    "HAS_PAGE",
    "AirflowFailException",
    "AirflowSkipException",
    "BaseExtractor",
    "BaseHook",
    "BaseOperator",
    "BaseOperatorLink",
    "ConfigException",
    "OperatorLineage",
    "TaskDeferred",
    "TaskIdentity",
    "conf",
    "current_task",
    "dag_bag",
    "identity",
    "listener_adapter",
    "mask_secret",
    "stats",
    "variable",
]


def current_task() -> Any:
    """The operator that this process is executing; None outside of a task."""
    try:
        return get_current_context()["task"]
    except (RuntimeError, AirflowException):
        return None


def dag_bag(folder: Path | None) -> Any:
    """The DAGs in a folder or a file; in Airflow's folder of DAGs if it is None."""
    try:
        from airflow.dag_processing.dagbag import DagBag
    except ImportError:  # before Airflow 3.1
        from airflow.models.dagbag import DagBag
    return DagBag(folder, safe_mode=False)


def variable(name: str, *, is_json: bool) -> Any:
    """The value of an Airflow variable; KeyError where there is none."""
    try:
        from airflow.sdk import Variable
    except ImportError:  # Airflow 2
        from airflow.models import Variable
    return Variable.get(name, deserialize_json=is_json)


class TaskIdentity(NamedTuple):
    """A task instance: its job and run in OpenLineage's words, the root's, and Airflow's ids.

    The root is the DAG run, or what started that one if it has been told so.
    """

    namespace: str
    name: str
    run_id: str
    root_namespace: str
    root_name: str
    root_run_id: str
    dag_id: str
    dag_run_id: str
    task_id: str
    map_index: int | None
    try_number: int | None


def identity(ti: Any) -> TaskIdentity:
    """The identity under which Airflow reports this try of the task instance.

    Without an OpenLineage package nothing else reports it; the ids are then made here, as stable.
    In the legacy package all instances of a mapped task share one run.
    """
    own = (ti.dag_id, ti.run_id, ti.task_id, ti.map_index, ti.try_number)
    if macros is not None:
        return TaskIdentity(
            macros.lineage_job_namespace(),
            macros.lineage_job_name(ti),
            str(macros.lineage_run_id(ti)),
            macros.lineage_root_job_namespace(ti),
            macros.lineage_root_job_name(ti),
            str(macros.lineage_root_run_id(ti)),
            *own,
        )
    if legacy is not None:
        ids = legacy.OpenLineageAdapter
        when = ti.execution_date
        return TaskIdentity(
            legacy._DAG_NAMESPACE,
            f"{ti.dag_id}.{ti.task_id}",
            ids.build_task_instance_run_id(ti.dag_id, ti.task_id, ti._try_number, when),
            legacy._DAG_NAMESPACE,
            ti.dag_id,
            ids.build_dag_run_id(ti.dag_id, when),
            *own,
        )
    namespace = conf.get("openlineage", "namespace", fallback="") or "default"
    dag_run = f"{namespace}.{ti.dag_id}.{ti.run_id}"
    this_try = f"{dag_run}.{ti.task_id}.{ti.map_index}.{ti.try_number}"
    return TaskIdentity(
        namespace,
        f"{ti.dag_id}.{ti.task_id}",
        str(uuid.uuid5(uuid.NAMESPACE_URL, this_try)),
        namespace,
        ti.dag_id,
        str(uuid.uuid5(uuid.NAMESPACE_URL, dag_run)),
        *own,
    )


def listener_adapter() -> Any:
    """What Airflow's OpenLineage listener emits with; None without a transport or the provider."""
    if macros is None:
        return None
    from airflow.providers.openlineage import conf as openlineage
    from airflow.providers.openlineage.plugins.listener import get_openlineage_listener

    return None if openlineage.is_disabled() else get_openlineage_listener().adapter
