package colgraph;

import java.io.Serializable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TruncatableTable;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table as a plan's statements have left it: columns, partitioning and properties, without rows. */
public class VirtualTable implements Serializable, StagedTable, SupportsRead, SupportsRowLevelOperations,
        SupportsWrite, TruncatableTable {
    private static final String[] CAPABILITIES = {  // a version of Spark need not know each
        "ACCEPT_ANY_SCHEMA", "AUTOMATIC_SCHEMA_EVOLUTION", "BATCH_READ", "BATCH_WRITE", "MICRO_BATCH_READ",
        "OVERWRITE_BY_FILTER", "OVERWRITE_DYNAMIC", "STREAMING_WRITE", "TRUNCATE"};
    private static final String ANY_SCHEMA = "write.spark.accept-any-schema";  // of Iceberg's tables

    /** By the catalog's and the table's name: those that the plan has changed, or what says that one is dropped. */
    static final Map TABLES = new ConcurrentHashMap();

    private final List key;
    private final StructType schema;
    private final Transform[] partitioning;
    private final HashMap properties;

    /** `key` is the catalog's name, and the parts of the table's. */
    VirtualTable(List key, StructType schema, Transform[] partitioning, Map properties) {
        this.key = key;
        this.schema = schema;
        this.partitioning = partitioning;
        this.properties = new HashMap(properties);
    }

    public String name() { return String.join(".", key); }
    public StructType schema() { return schema; }
    public Transform[] partitioning() { return partitioning; }
    public Map properties() { return properties; }

    public Set capabilities() {
        Set capabilities = new HashSet();
        TableCapability[] all = TableCapability.values();
        for (int i = 0; i < all.length; i++) {
            for (int j = "true".equals(properties.get(ANY_SCHEMA)) ? 0 : 1; j < CAPABILITIES.length; j++) {
                if (all[i].name().equals(CAPABILITIES[j])) capabilities.add(all[i]);
            }
        }
        return capabilities;
    }

    public void commitStagedChanges() { TABLES.put(key, this); }
    public void abortStagedChanges() { }
    public boolean truncateTable() { return true; }
    public CustomTaskMetric[] reportDriverMetrics() { return new CustomTaskMetric[0]; }  // since Spark 4.3

    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) { return new NoRows(schema); }
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) { return new NoWrite(); }

    public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
        return new Operation(schema, info.command());
    }

    /** A scan that has no partitions. */
    public static class NoRows implements Batch, Scan, ScanBuilder {
        private final StructType schema;

        NoRows(StructType schema) { this.schema = schema; }

        public Scan build() { return this; }
        public StructType readSchema() { return schema; }
        public Batch toBatch() { return this; }
        public InputPartition[] planInputPartitions() { return new InputPartition[0]; }
        public PartitionReaderFactory createReaderFactory() { return null; }
    }

    /** A write that is planned, and never run. */
    public static class NoWrite implements WriteBuilder { }

    /** MERGE, UPDATE or DELETE, by which Spark would replace the rows. */
    public static class Operation implements RowLevelOperation, RowLevelOperationBuilder {
        private final StructType schema;
        private final RowLevelOperation.Command command;

        Operation(StructType schema, RowLevelOperation.Command command) {
            this.schema = schema;
            this.command = command;
        }

        public RowLevelOperation build() { return this; }
        public RowLevelOperation.Command command() { return command; }
        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) { return new NoRows(schema); }
        public WriteBuilder newWriteBuilder(LogicalWriteInfo info) { return new NoWrite(); }
    }
}
