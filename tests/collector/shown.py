"""Rules that no recorded case can reach, by Spark class, and the test that shows each of them."""

CONNECTORS = "tests/collector/test_connectors.py"
COMMANDS = "tests/spark/test_commands.py"
DELTA = "tests/spark/test_delta.py"
HIVE = "tests/spark/test_hive.py"
ICEBERG = "tests/spark/test_iceberg.py"
JDBC = "tests/spark/test_jdbc.py"
LINEAGE = "tests/collector/test_lineage.py"
STREAMING = "tests/spark/test_streaming.py"
VERSIONS = "tests/spark/test_versions.py"

SHOWN = {
    "NamedArgumentExpression": "tests/collector/python_functions/test_rules.py",
    "AlterTableRenameCommand": COMMANDS,
    "AppendColumns": LINEAGE,
    "AppendData": ICEBERG,
    "BigQueryRelation": CONNECTORS,
    "CoGroup": LINEAGE,
    "CreateDeltaTableCommand": DELTA,
    "CreateHiveTableAsSelectCommand": HIVE,
    "CreateIcebergView": ICEBERG,
    "CreateTableAsSelect": ICEBERG,
    "DeduplicateWithinWatermark": STREAMING,
    "DeltaCDFRelation": DELTA,
    "DeleteCommand": DELTA,
    "DeleteFromTable": ICEBERG,
    "DeltaDynamicPartitionOverwriteCommand": DELTA,
    "DropIcebergView": ICEBERG,
    "DropTable": ICEBERG,
    "DropTableCommand": COMMANDS,
    "FlatMapGroupsInPandasWithState": STREAMING,
    "FlatMapGroupsWithState": LINEAGE,
    "HiveHash": LINEAGE,
    "HiveTableRelation": HIVE,
    "InsertIntoDataSourceCommand": JDBC,
    "InsertIntoHiveDirCommand": HIVE,
    "InsertIntoHiveTable": HIVE,
    "JDBCRelation": JDBC,
    "KafkaRelation": CONNECTORS,
    "KustoRelation": CONNECTORS,
    "LoadDataCommand": HIVE,
    "MapElements": LINEAGE,
    "MapGroups": LINEAGE,
    "MergeIntoCommand": DELTA,
    "MergeRows": ICEBERG,
    "OuterScopeReference": LINEAGE,
    "OverwriteByExpression": ICEBERG,
    "OverwritePartitionsDynamic": ICEBERG,
    "ReplaceData": ICEBERG,
    "ReplaceTableAsSelect": ICEBERG,
    "SaveAsV1TableCommand": VERSIONS,
    "SaveIntoDataSourceCommand": DELTA,
    "SnowflakeRelation": CONNECTORS,
    "StreamingRelation": STREAMING,
    "StreamingRelationV2": STREAMING,
    "TransformWithState": LINEAGE,
    "TransformWithStateInPandas": LINEAGE,
    "TransformWithStateInPySpark": LINEAGE,
    "TruncateTable": ICEBERG,
    "TruncateTableCommand": COMMANDS,
    "TypedFilter": LINEAGE,
    "UpdateCommand": DELTA,
    "WriteDelta": ICEBERG,
    "WriteToMicroBatchDataSource": STREAMING,
    "WriteToMicroBatchDataSourceV1": STREAMING,
}
