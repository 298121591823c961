package colgraph;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;

/**
 * Tables of Delta and Iceberg that keep all they know in files of Hadoop's file systems, which the
 * overlay covers: their commands are run, without rows, so that the plan's later statements see the
 * tables that they leave.
 */
public final class LakeTables {
    /** Whether this thread plans a scan that is left as it is. */
    static final ThreadLocal IS_SCANNED = new ThreadLocal();
    private static final AtomicLong LOG_ROWS = new AtomicLong();

    /** The rows of Delta's logs that were read: they describe tables. */
    public static long logRows() { return LOG_ROWS.get(); }

    static boolean isDelta(Object source) {
        return isOfDelta(source, "sources.DeltaDataSource");
    }

    /** Whether a MERGE adds columns to a table of Delta's. */
    static boolean isEvolution(LogicalPlan plan) {
        return isOfDelta(plan, "commands.MergeIntoCommand")
            && Boolean.TRUE.equals(Reflection.call(plan, "schemaEvolutionEnabled"));
    }

    /** Whether a catalog has files only: Delta's over the session's, or a catalog of Iceberg's. */
    static boolean isCatalogOfFiles(Object catalog) {
        if (isOfDelta(catalog, "catalog.DeltaCatalog")) return "spark_catalog".equals(Reflection.call(catalog, "name"));
        String name = catalog.getClass().getName();
        if (!name.equals(ICEBERG + "spark.SparkCatalog") && !name.equals(ICEBERG + "spark.SparkSessionCatalog")) return false;
        Object behind = Reflection.call(catalog, "icebergCatalog");
        if (Reflection.isClass(behind, ICEBERG + "CachingCatalog")) behind = Reflection.field(behind, "catalog");
        if (Reflection.isClass(behind, ICEBERG + "inmemory.InMemoryCatalog")) return true;
        return Reflection.isClass(behind, ICEBERG + "hadoop.HadoopCatalog")
            && Reflection.field(behind, "fs") instanceof OverlayFileSystem
            && isOfHadoop(Reflection.field(behind, "fileIO"))
            && Reflection.isClass(Reflection.field(behind, "lockManager"), ICEBERG + "util.LockManagers$InMemoryLockManager");
    }

    private static final String ICEBERG = "org.apache.iceberg.";
    private static final String DELTA = "org.apache.spark.sql.delta.";

    /** Whether an object is of a class of Delta's, whose commits are then those of files only. */
    private static boolean isOfDelta(Object found, String name) {
        if (!Reflection.isClass(found, DELTA + name)) return false;
        try {
            String coordinators = DELTA + "coordinatedcommits.CommitCoordinatorProvider$";
            Class kind = found.getClass().getClassLoader().loadClass(coordinators);
            Reflection.call(kind.getField("MODULE$").get(null), "clearAllBuilders");
        } catch (ClassNotFoundException error) {  // before Delta 4
        } catch (LinkageError error) {  // a coordinator's client is not there: none can be made
        } catch (Exception error) { throw new IllegalStateException("colgraph plan: commit coordinators", error); }
        return true;
    }

    /** Whether Iceberg's files are Hadoop's, each of whose file systems is covered. */
    private static boolean isOfHadoop(Object files) {
        if (!Reflection.isClass(files, ICEBERG + "hadoop.HadoopFileIO")) return false;
        OverlayFileSystem.cover((Configuration) Reflection.call(files, "conf"));
        return true;
    }

    /** Whether the table of a relation has files only. */
    static boolean isOfFiles(Object relation) {
        Object catalog = Reflection.call(relation, "catalog");
        if (catalog instanceof scala.Some && isCatalogOfFiles(((scala.Some) catalog).get())) return true;
        Object table = Reflection.call(relation, "table");
        if (isOfDelta(table, "catalog.DeltaTableV2")) return !(catalog instanceof scala.Some);
        if (!Reflection.isClass(table, ICEBERG + "spark.source.SparkTable")) return false;
        Object iceberg = Reflection.call(table, "table");
        return Reflection.isClass(Reflection.call(iceberg, "operations"), ICEBERG + "hadoop.HadoopTableOperations")
            && isOfHadoop(Reflection.call(iceberg, "io"));
    }

    /** The catalog that a name of several parts begins with, else the current one. */
    static Object catalogOf(Object parts, Object session) {
        Object manager = Reflection.call(Reflection.call(session, "sessionState"), "catalogManager");
        String first = "" + Reflection.call(parts, "head");
        try {
            Method isThere = manager.getClass().getMethod("isCatalogRegistered", new Class[] {String.class});
            if (!Boolean.TRUE.equals(isThere.invoke(manager, new Object[] {first}))) return Reflection.call(manager, "currentCatalog");
            return manager.getClass().getMethod("catalog", new Class[] {String.class}).invoke(manager, new Object[] {first});
        } catch (Exception error) { throw new IllegalStateException("colgraph plan: the catalog of " + parts, error); }
    }

    /** Whether a leaf reads the log of a table of Delta's. */
    static boolean isLog(LogicalPlan leaf) {
        if (!Reflection.nameOf(leaf).equals("LogicalRelation")) return false;
        Object location = Reflection.call(Reflection.call(leaf, "relation"), "location");
        return Reflection.isClass(location, "org.apache.spark.sql.delta.DeltaLogFileIndex");
    }

    /** The rows of a log, in place of the scan that reads them. */
    static LogicalPlan logOf(LogicalPlan leaf, Object session) {
        Object state = Reflection.call(session, "sessionState");
        IS_SCANNED.set(Boolean.TRUE);
        try {
            Class[] kinds = {LogicalPlan.class, scala.Enumeration.Value.class};
            Object mode = Reflection.call(state, "executePlan$default$2");
            QueryExecution query = (QueryExecution) state.getClass().getMethod("executePlan", kinds)
                .invoke(state, new Object[] {leaf, mode});
            InternalRow[] rows = query.executedPlan().executeCollect();
            LOG_ROWS.addAndGet(rows.length);
            return relation(leaf, rows);
        } catch (Exception error) { throw new IllegalStateException("colgraph plan: a log", error); }
        finally { IS_SCANNED.remove(); }
    }

    private static LogicalPlan relation(LogicalPlan leaf, InternalRow[] rows) throws Exception {
        Object list = scala.collection.immutable.Nil$.MODULE$;
        for (int i = rows.length - 1; i >= 0; i--) {
            list = new scala.collection.immutable.$colon$colon(rows[i], (scala.collection.immutable.List) list);
        }
        return (LogicalPlan) Reflection.instance(LocalRelation.class, new Object[] {leaf.output(), list});
    }
}
