"""The token with which a job's driver reports to an http(s) sink: for this run only.

It is signed with `[colgraph] sink_key`. A token that the DAG or the worker's environment has comes
first; without either the driver sends none.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.run_tokens import Name, RunScope, sign

OURS = "spark.colgraph."
OPENLINEAGE = "spark.openlineage."
SINK_TOKEN = OURS + "sinkToken"
SINK_TOKEN_FILE = OURS + "sinkTokenFile"
VARIABLE = "COLGRAPH_SINK_TOKEN"  # in the driver's environment


def run_token(properties: Mapping[Any, Any]) -> str:
    """A new token for the run that the properties name; empty if there is one, or no key."""
    key, scope = conf.sink_key(), scope_of(properties)
    token = properties.get(SINK_TOKEN) or properties.get(SINK_TOKEN_FILE)
    if not key or not scope.run_id or token or os.environ.get(VARIABLE):
        return ""
    return sign(key, scope, conf.sink_token_seconds())


def scope_of(properties: Mapping[Any, Any]) -> RunScope:
    """The run of a job with these properties, as the collector reports it."""

    def name(*keys: str) -> Name:
        values = (properties.get(OURS + key) or properties.get(OPENLINEAGE + key) for key in keys)
        return tuple(str(value) for value in values if value)

    return RunScope(
        (str(properties[OURS + "namespace"]), str(properties[OURS + "jobName"])),
        "".join(name("parentRunId")),
        name("parentJobNamespace", "parentJobName"),
        name("rootParentRunId", "rootParentJobNamespace", "rootParentJobName"),
        name("dagId", "dagRunId", "taskId", "mapIndex"),
    )
