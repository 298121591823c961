"""The documents of OpenLineage that the collector emits, as typed dictionaries.

The keys are those of the specification (OpenLineage 2-0-2, and the version of each facet that is
in `airflow_colgraph.openlineage.facets`); facets whose names begin with `colgraph_` are our own.
Optional keys are in a class with `total=False`: Python 3.9 has no `NotRequired`.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from airflow_colgraph.openlineage.digests import Digest


class Facet(TypedDict):
    """The keys that each facet has."""

    _producer: str
    _schemaURL: str


class DatasetName(TypedDict):
    """The identity of a dataset, where an event names one without its facets."""

    namespace: str
    name: str


# Dataset facets -------------------------------------------------------------------------------


class _SchemaField(TypedDict):
    name: str
    type: str


class SchemaField(_SchemaField, total=False):
    """A column or a member of one."""

    fields: list[SchemaField]


class SchemaFacet(Facet):
    """`schema` 1-2-0: the columns in order."""

    fields: list[SchemaField]


class Transformation(TypedDict):
    """How an input field is used; `type` is DIRECT or INDIRECT."""

    type: str
    subtype: str
    description: str
    masking: bool


class InputField(TypedDict):
    """A field that a column, or the whole dataset, depends on."""

    namespace: str
    name: str
    field: str
    transformations: list[Transformation]


class ColumnInputs(TypedDict):
    """The input fields of one column."""

    inputFields: list[InputField]


class ColumnLineageFacet(Facet):
    """`columnLineage` 1-2-0; `dataset` lists what affects which rows exist."""

    fields: dict[str, ColumnInputs]
    dataset: list[InputField]


class SymlinkIdentifier(TypedDict):
    """Another name of a dataset."""

    namespace: str
    name: str
    type: str


class SymlinksFacet(Facet):
    """`symlinks` 1-0-1."""

    identifiers: list[SymlinkIdentifier]


class LifecycleFacet(Facet):
    """`lifecycleStateChange` 1-0-1."""

    lifecycleStateChange: str


class RenameFacet(LifecycleFacet):
    """`lifecycleStateChange` 1-0-1 of a dataset that was renamed."""

    previousIdentifier: DatasetName


class StorageFacet(Facet):
    """`storage` 1-0-1."""

    storageLayer: str
    fileFormat: str


class DataSourceFacet(Facet):
    """`dataSource` 1-0-1: the database, broker or file system that has the dataset."""

    name: str
    uri: str


class _CatalogFacet(Facet):
    framework: str
    type: str
    name: str
    source: str


class CatalogFacet(_CatalogFacet, total=False):
    """`catalog` 1-1-0: the catalog that a table is in."""

    metadataUri: str
    warehouseUri: str


class VersionFacet(Facet):
    """`version` 1-0-1: the snapshot of a table."""

    datasetVersion: str


class NamedOption(TypedDict):
    """An option of a read. A list of these instead of an object: Airflow redacts by key."""

    name: str
    value: str


class PropertiesFacet(Facet):
    """`colgraph_properties`: how a dataset was read."""

    format: str
    options: list[NamedOption]


class OperationInput(TypedDict):
    """A field that an operation uses; `origin` is the operation that provides it."""

    origin: str
    name: str


class OperationInputs(TypedDict, total=False):
    """A READ has the dataset's `endPoint`, any other operation has `fields`."""

    endPoint: DatasetName
    fields: list[OperationInput]


class OperationOutputs(TypedDict, total=False):
    """A WRITE has the dataset's `endPoint`, any other operation has `fields`."""

    endPoint: DatasetName
    fields: list[str]


class Operation(TypedDict):
    """One READ, TRANSFORM or WRITE, with the keys of CDAP's field lineage."""

    name: str
    description: str
    inputs: OperationInputs
    outputs: OperationOutputs


class OperationsFacet(Facet):
    """`colgraph_operations`: each operation after those whose fields it uses."""

    operations: list[Operation]


class DigestsFacet(Facet):
    """`colgraph_digests`: how columns were computed and rows were chosen, to be compared."""

    columns: list[Digest]
    steps: list[Digest]


class DatasetFacets(TypedDict, total=False):
    """The facets of an input or output that the collector emits."""

    schema: SchemaFacet
    columnLineage: ColumnLineageFacet
    lifecycleStateChange: LifecycleFacet
    storage: StorageFacet
    symlinks: SymlinksFacet
    dataSource: DataSourceFacet
    catalog: CatalogFacet
    version: VersionFacet
    colgraph_properties: PropertiesFacet
    colgraph_operations: OperationsFacet
    colgraph_digests: DigestsFacet


class StatisticsCounts(TypedDict, total=False):
    """The rows, bytes and files that were read or written."""

    rowCount: int
    size: int
    fileCount: int


class OutputStatisticsFacet(Facet, StatisticsCounts):
    """`outputStatistics` 1-0-2."""


class InputStatisticsFacet(Facet, StatisticsCounts):
    """`inputStatistics` 1-0-0."""


class ScanReportFacet(Facet):
    """`icebergScanReport`: what Iceberg counted of a scan, as OpenLineage's jar has it."""

    filterDescription: str
    projectedFieldNames: list[str]
    scanMetrics: dict[str, int]


class SnapshotReportFacet(ScanReportFacet):
    """The same of a scan whose snapshot is known."""

    snapshotId: int


class CommitReportFacet(Facet):
    """`icebergCommitReport`: what Iceberg counted of a commit, as OpenLineage's jar has it."""

    snapshotId: int
    sequenceNumber: int
    operation: str
    commitMetrics: dict[str, int]


class InputFacets(TypedDict, total=False):
    """The facets of a dataset as an input of this run."""

    inputStatistics: InputStatisticsFacet
    icebergScanReport: ScanReportFacet | SnapshotReportFacet


class OutputFacets(TypedDict, total=False):
    """The facets of a dataset as an output of this run."""

    outputStatistics: OutputStatisticsFacet
    icebergCommitReport: CommitReportFacet


class _Dataset(DatasetName):
    facets: DatasetFacets


class Dataset(_Dataset, total=False):
    """An input or output of an event."""

    inputFacets: InputFacets
    outputFacets: OutputFacets


# Run facets -----------------------------------------------------------------------------------


class RunName(TypedDict):
    """The identity of a run."""

    runId: str


class ParentRun(TypedDict):
    """A run that started the application, and its job."""

    run: RunName
    job: DatasetName


class ParentFacet(Facet):
    """`parent` 1-1-0; without a root run, the parent is the root."""

    run: RunName
    job: DatasetName
    root: ParentRun


class _TaskFacet(Facet):
    dag_id: str
    run_id: str
    task_id: str


class TaskFacet(_TaskFacet, total=False):
    """`colgraph_task`: the Airflow task instance that the run is of, or that started it."""

    map_index: int
    try_number: int


class ProcessingEngineFacet(Facet):
    """`processing_engine` 1-1-1: Spark's version and ours."""

    version: str
    name: str
    openlineageAdapterVersion: str


class ApplicationDetailsFacet(Facet):
    """`spark_applicationDetails`, as OpenLineage's Spark integration has it."""

    appName: str
    applicationId: str
    master: str
    deployMode: str
    userName: str


class SparkPropertiesFacet(Facet):
    """`spark_properties`, as OpenLineage's Spark integration has it."""

    properties: dict[str, str]


class EnvironmentVariablesFacet(Facet):
    """`environmentVariables` 1-0-0."""

    environmentVariables: list[NamedOption]


class ErrorMessageFacet(Facet):
    """`errorMessage` 1-0-1."""

    message: str
    programmingLanguage: str


ClassCount = TypedDict("ClassCount", {"class": str, "count": int})
"""How often something was met: a Spark class, or a kind of failure."""


class UnaccountedOutput(TypedDict):
    """Output that no event accounts for, and what wrote it."""

    by: str
    rows: int
    bytes: int


class CompletenessCounts(TypedDict):
    """The executions and writes of an application, and those without lineage."""

    executions: int
    reported: int
    withoutDatasets: int
    failed: int
    dropped: int
    writes: int
    writesWithoutLineage: int
    unaccounted: list[UnaccountedOutput]


class DiagnosticsFacet(Facet):
    """`colgraph_diagnostics`: what the lineage lacks, and the seconds that resolving took."""

    unresolved: list[ClassCount]
    opaque: list[ClassCount]
    truncated: str
    seconds: float


class DriverRows(DatasetName):
    """An output with rows that the driver made, and what these may depend on."""

    datasets: list[DatasetName]


class DriverRowsDiagnosticsFacet(DiagnosticsFacet):
    """`colgraph_diagnostics` of an output with rows that the driver made."""

    throughDriver: list[DriverRows]


class ApplicationDiagnosticsFacet(DiagnosticsFacet):
    """`colgraph_diagnostics` at the end of an application whose lineage has gaps."""

    completeness: CompletenessCounts


class RunFacets(TypedDict, total=False):
    """The run facets that the collector emits."""

    processing_engine: ProcessingEngineFacet
    spark_applicationDetails: ApplicationDetailsFacet
    spark_properties: SparkPropertiesFacet
    environmentVariables: EnvironmentVariablesFacet
    parent: ParentFacet
    colgraph_task: TaskFacet
    errorMessage: ErrorMessageFacet
    colgraph_diagnostics: DiagnosticsFacet
    colgraph_plan: Facet  # nothing was written: the run was a dry one


# Job facets -----------------------------------------------------------------------------------


class JobTypeFacet(Facet):
    """`jobType` 2-0-4."""

    processingType: str
    integration: str
    jobType: str


class LineageInput(InputField):
    """A dataset's field as an input in the `lineage` facet."""

    type: Literal["DATASET"]


class LineageJobInput(TypedDict):
    """The input of a column that the job itself generates."""

    type: Literal["JOB"]


class LineageColumn(TypedDict):
    """The inputs of one column in the `lineage` facet."""

    inputs: list[LineageInput | LineageJobInput]


class LineageEntry(TypedDict):
    """The lineage of one output dataset; `inputs` are those that affect which rows exist."""

    type: Literal["DATASET"]
    namespace: str
    name: str
    inputs: list[LineageInput]
    fields: dict[str, LineageColumn]


class LineageFacet(Facet):
    """`lineage` 1-0-0 on a job."""

    entries: list[LineageEntry]


class SqlFacet(Facet):
    """`sql` 1-1-0: the text of a statement."""

    query: str
    dialect: str


class JobFacets(TypedDict, total=False):
    """The job facets that the collector emits."""

    jobType: JobTypeFacet
    lineage: LineageFacet
    sql: SqlFacet
    colgraph_diagnostics: DiagnosticsFacet  # of a job event, which has no run


# Events ---------------------------------------------------------------------------------------


class Run(RunName):
    """The run of an event."""

    facets: RunFacets


class Job(DatasetName):
    """The job of an event."""

    facets: JobFacets


class RunEvent(TypedDict):
    """A run event of the Spark application: START, RUNNING, COMPLETE or FAIL."""

    eventType: str
    eventTime: str
    producer: str
    schemaURL: str
    run: Run
    job: Job
    inputs: list[Dataset]
    outputs: list[Dataset]


class JobEvent(TypedDict):
    """What a job would read and write, without a run: of a pipeline's dry run."""

    eventTime: str
    producer: str
    schemaURL: str
    job: Job
    inputs: list[Dataset]
    outputs: list[Dataset]
