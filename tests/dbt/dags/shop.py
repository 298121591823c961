"""dbt between two Spark jobs. SHOP_LAKE is where all of them read and write."""

import json
import os

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

LAKE = os.environ["SHOP_LAKE"]
JOBS = os.path.join(os.path.dirname(__file__), "jobs")
DBT = 'cd "$SHOP_PROJECT" && dbt-ol run --profiles-dir . --log-path "$SHOP_LAKE/logs"'
OWN = {"type": "file", "log_file_path": f"{LAKE}/openlineage-dbt.jsonl", "append": True}
CONVERT = "colgraph convert --from dbt --namespace duckdb://$SHOP_LAKE/shop.duckdb"

with DAG("shop", schedule=None):
    load = ColgraphSparkSubmitOperator(
        task_id="load", application=f"{JOBS}/load.py", application_args=[LAKE]
    )
    dbt = BashOperator(
        task_id="dbt",
        bash_command=f'{DBT} --target-path "$SHOP_LAKE/target"',
        env={"OPENLINEAGE__TRANSPORT": json.dumps(OWN)},
        append_env=True,
    )
    lineage = BashOperator(
        task_id="lineage",
        bash_command=f'set -o pipefail; {CONVERT} "$SHOP_LAKE/target" | colgraph ingest -',
    )
    report = ColgraphSparkSubmitOperator(
        task_id="report", application=f"{JOBS}/report.py", application_args=[LAKE]
    )
    load >> dbt >> lineage >> report
