"""The fourth lesson: a driver that runs in the cluster.

The collector is shipped as one more Python file. Only the sink differs: the driver must be able to
write it and the worker to read it, so set it to a file system that both can reach:

    AIRFLOW__COLGRAPH__SINK=hdfs:///lineage

The connection `spark_yarn` has the host yarn. The worker reads the sink with Hadoop's own client,
configured as it is for spark-submit (HADOOP_CONF_DIR).
"""

from airflow.sdk import DAG

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

with DAG("cluster_mode", schedule=None, tags=["colgraph", "lesson"], doc_md=__doc__):
    ColgraphSparkSubmitOperator(
        task_id="daily",
        conn_id="spark_yarn",
        deploy_mode="cluster",
        durable=False,
        application="hdfs:///jobs/daily.py",
        application_args=["hdfs:///raw/orders.csv", "hdfs:///mart/daily"],
    )
