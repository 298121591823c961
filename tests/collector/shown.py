"""Rules that no recorded case can reach, by Spark class, and the test that shows each of them."""

BY_TEST = {
    "tests/collector/python_functions/test_rules.py": (
        "NamedArgumentExpression RepartitionByExpression"
    ),
    "tests/collector/test_connectors.py": (
        "BigQueryRelation KafkaRelation KustoRelation SnowflakeRelation"
    ),
    "tests/collector/test_lineage.py": (
        "AppendColumns CoGroup FlatMapGroupsWithState HiveHash MapElements MapGroups "
        "OuterScopeReference TransformWithState TransformWithStateInPandas "
        "TransformWithStateInPySpark TypedFilter"
    ),
    "tests/spark/test_commands.py": (
        "AlterTableAddColumnsCommand AlterTableChangeColumnCommand AlterTableRenameCommand "
        "CreateDataSourceTableCommand CreateTableLikeCommand DropTableCommand "
        "TruncateTableCommand"
    ),
    "tests/spark/test_delta.py": (
        "CreateDeltaTableCommand DeleteCommand DeltaCDFRelation "
        "DeltaDynamicPartitionOverwriteCommand MergeIntoCommand RenameTable RestoreTableCommand "
        "SaveIntoDataSourceCommand UpdateCommand"
    ),
    "tests/spark/test_hive.py": (
        "CreateHiveTableAsSelectCommand CreateTableCommand HiveTableRelation "
        "InsertIntoHiveDirCommand InsertIntoHiveTable LoadDataCommand"
    ),
    "tests/spark/test_iceberg.py": (
        "AddColumns AlterColumns AppendData CreateIcebergView CreateTable CreateTableAsSelect "
        "DeleteFromTable DropColumns DropIcebergView DropTable MergeRows "
        "OverwriteByExpression OverwritePartitionsDynamic RenameColumn ReplaceColumns "
        "ReplaceData ReplaceTable ReplaceTableAsSelect TruncateTable WriteDelta"
    ),
    "tests/spark/test_jdbc.py": "InsertIntoDataSourceCommand JDBCRelation",
    "tests/spark/test_streaming.py": (
        "DeduplicateWithinWatermark FlatMapGroupsInPandasWithState MemoryPlan StreamingRelation "
        "StreamingRelationV2 WriteToMicroBatchDataSource WriteToMicroBatchDataSourceV1"
    ),
    "tests/spark/test_versions.py": "AlterColumn SaveAsV1TableCommand",
}
SHOWN = {name: file for file, names in BY_TEST.items() for name in names.split()}
