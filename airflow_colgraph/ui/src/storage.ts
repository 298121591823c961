// Where a dataset is kept, by its namespace. Pure.

export type Storage = "files" | "bucket" | "database" | "stream";

export const STORAGES: Record<Storage, string> = { files: "files", bucket: "object storage", database: "database", stream: "stream" };

/** The path of each sign. */
export const SHAPES: Record<Storage, string> = { // in a square of 16
  files: "M2 4h4l1.5 2H14v7H2z",
  bucket: "M2.5 4.5h11L12 13.5H4zM2.5 4.5a5.5 1.8 0 0 1 11 0",
  database: "M3 4a5 2 0 0 1 10 0v8a5 2 0 0 1-10 0zM3 4a5 2 0 0 0 10 0M3 8a5 2 0 0 0 10 0",
  stream: "M2 5h9M8 2l3 3-3 3M14 11H5M8 8l-3 3 3 3",
};

const SCHEMES: Record<Storage, readonly string[]> = {
  files: ["file", "hdfs", "webhdfs", "viewfs", "dbfs", "ftp", "sftp"],
  bucket: ["s3", "s3a", "s3n", "gs", "gcs", "abfs", "abfss", "wasb", "wasbs", "adl", "oss", "cos", "r2"],
  database: [
    "postgres", "postgresql", "mysql", "mariadb", "oracle", "sqlserver", "mssql", "db2", "redshift", "snowflake", "bigquery", "trino", "presto",
    "athena", "awsathena", "glue", "hive", "duckdb", "sqlite", "clickhouse", "cassandra", "mongodb", "teradata", "synapse", "databricks", "unitycatalog", "jdbc", "arn",
  ],
  stream: ["kafka", "kinesis", "pubsub", "eventhubs", "pulsar", "rabbitmq"],
};

const BY_SCHEME = new Map(Object.entries(SCHEMES).flatMap(([storage, schemes]) => schemes.map((scheme) => [scheme, storage as Storage] as const)));

/** Whether a namespace is only a scheme, so that the sign of the storage says as much. */
export const isSaidBySign = (namespace: string): boolean => BY_SCHEME.has(namespace.toLowerCase());

/** Whether slashes part a name, not dots: a file of a folder, not a table of a schema. */
export function isInFolders({ namespace, name }: { namespace: string; name: string }): boolean {
  const storage = storageOf(namespace);
  return name.includes("/") || storage === "files" || storage === "bucket";
}

/** The kind of storage that a namespace is of; null if it does not say. */
export function storageOf(namespace: string): Storage | null {
  return BY_SCHEME.get(namespace.toLowerCase().split(/[:/]/, 1)[0] ?? "") ?? null;
}
