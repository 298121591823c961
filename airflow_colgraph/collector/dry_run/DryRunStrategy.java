package colgraph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.rdd.PartitionPruningRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.planning.QueryPlanner;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReturnAnswer;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap;
import org.apache.spark.sql.execution.RDDScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage;

/**
 * The planner's first strategy. Each query comes here after it was analyzed and optimized, and
 * before anything of it is run: sources become empty, and commands that are not known are skipped.
 */
public class DryRunStrategy extends org.apache.spark.sql.execution.SparkStrategy {
    private static final Set LEAVES = new HashSet();
    private static final Set COMMANDS = new HashSet();
    private static final Set CATALOGS = new HashSet();
    private static final Set WRITERS = new HashSet();
    private static final Set TABLES = new HashSet();
    private static final Set ROWS = new HashSet();
    private static final Set OF_CATALOGS = new HashSet();
    private static final Set OF_TABLES = new HashSet();
    private static final List SKIPPED = Collections.synchronizedList(new ArrayList());
    private static final List CONFIGURATIONS = new ArrayList();

    public static void allow(String kind, String name) {
        if (kind.equals("leaf")) LEAVES.add(name);
        else if (kind.equals("command")) COMMANDS.add(name);
        else if (kind.equals("writer")) WRITERS.add(name);
        else if (kind.equals("catalog")) CATALOGS.add(name);
        else if (kind.equals("rows")) ROWS.add(name);
        else if (kind.equals("of catalogs")) OF_CATALOGS.add(name);
        else if (kind.equals("of tables")) OF_TABLES.add(name);
        else TABLES.add(name);
    }

    static void skip(String what) { SKIPPED.add(what); }

    public static String[] skipped() {
        synchronized (SKIPPED) { return (String[]) SKIPPED.toArray(new String[0]); }
    }

    public static void watch(Configuration configuration) { CONFIGURATIONS.add(configuration); }

    /** Puts the overlay back where the program has named a file system of its own. */
    public static void restore() {
        for (Iterator each = CONFIGURATIONS.iterator(); each.hasNext();) {
            OverlayFileSystem.cover((Configuration) each.next());
        }
    }

    /** A predicate that no partition fulfils, of a class that tasks have: shuffles serialize it. */
    private static final scala.Function1 NO_PARTITION =
        (scala.Function1) (Object) scala.collection.immutable.Set$.MODULE$.empty();
    private static volatile boolean keepsScans = false;
    private static volatile String model = null;
    private final Object session;

    public DryRunStrategy(Object session) { this.session = session; }

    /** Whether sources stay in sight as RDDs without partitions: for what becomes an RDD. */
    public static void keepScans(boolean whether) { keepsScans = whether; }

    /** The folder of a model that is loaded, whose files are read with their rows; null: none is. */
    public static void load(String folder) { model = folder; }

    /** Whether a leaf reads files of the model that is loaded. */
    private static boolean isOfModel(LogicalPlan leaf) {
        if (model == null || !Reflection.nameOf(leaf).equals("LogicalRelation")) return false;
        Object relation = Reflection.call(leaf, "relation");
        if (!Reflection.nameOf(relation).equals("HadoopFsRelation")) return false;
        scala.collection.Seq roots = (scala.collection.Seq) Reflection.call(Reflection.call(relation, "location"), "rootPaths");
        String folder = new Path(model).toUri().getPath();
        for (int i = 0; i < roots.length(); i++) {
            if (!(roots.apply(i) + "/").contains(folder + "/")) return false;
        }
        return true;
    }

    public SEQ apply(LogicalPlan plan) {
        if (LakeTables.IS_SCANNED.get() != null) return (SEQ) scala.collection.immutable.Nil$.MODULE$;
        if (plan instanceof ReturnAnswer) restore();
        LogicalPlan found = plan;
        if (keepsScans) found = (LogicalPlan) found.transformDown(new Scans(session));
        found = (LogicalPlan) found.transformUp(new Rewrite(session));
        if (found == plan) return (SEQ) scala.collection.immutable.Nil$.MODULE$;
        return (SEQ) new scala.collection.immutable.$colon$colon(planLater(found), scala.collection.immutable.Nil$.MODULE$);
    }

    static LogicalPlan emptied(LogicalPlan plan) {
        return LocalRelation.fromExternalRows(plan.output(), (SEQ) scala.collection.immutable.Nil$.MODULE$);
    }

    /** A write of no rows: its query is not run, not even where one row comes of none. */
    private static LogicalPlan withoutRows(LogicalPlan plan) {
        Object[] values = new Object[plan.productArity()];
        for (int i = 0; i < values.length; i++) {
            values[i] = plan.productElement(i);
            for (int j = 0; j < QUERIES.length; j++) {
                if (values[i] == Reflection.call(plan, QUERIES[j])) values[i] = emptiedQuery(values[i]);
            }
        }
        LogicalPlan copy = (LogicalPlan) plan.makeCopy(values);
        return copy.fastEquals(plan) ? plan : copy;  // the planner asks again until nothing changes
    }

    /** The options that say where a connector writes. */
    private static final String[] TARGETS = {"url", "kafka.bootstrap.servers", "dbtable", "topic", "path"};

    /** The methods by which commands have what they write. */
    private static final String[] QUERIES = {"query", "analyzedQuery", "source", "child"};

    private static Object emptiedQuery(Object query) {
        if (query instanceof scala.Some) return new scala.Some(emptiedQuery(((scala.Some) query).get()));
        if (!(query instanceof LogicalPlan) || Reflection.nameOf(query).equals("WriteFiles")) return query;
        return emptied((LogicalPlan) query);
    }

    public static class Rewrite extends scala.runtime.AbstractPartialFunction {
        private final Object session;

        public Rewrite(Object session) { this.session = session; }

        public boolean isDefinedAt(Object found) { return true; }

        public Object applyOrElse(Object found, scala.Function1 otherwise) {
            LogicalPlan plan = (LogicalPlan) found;
            String name = Reflection.nameOf(plan);
            if (isCommand(plan)) return command(plan, name);
            if (name.equals("WriteFiles")) return withoutRows(plan);
            if (plan.children().isEmpty()) {
                if (LakeTables.isLog(plan)) return LakeTables.logOf(plan, session);
                boolean isName = name.startsWith("Resolved");  // of what a command is about
                if (name.equals("Range")) return SampleRows.ofRange(plan);
                if (isName || LEAVES.contains(name) || isOfModel(plan)) return plan;
                LogicalPlan rows = SampleRows.of(plan, session);
                return rows == null ? emptied(plan) : rows;
            }
            return plan.containsPattern(TreePattern.PYTHON_UDF()) ? emptied(plan) : plan;
        }

        private LogicalPlan command(LogicalPlan plan, String name) {
            if (isSkipped(plan, session)) return skipped(plan);
            if (isOfRows(plan)) return emptied(plan);
            if (ROWS.contains(name)) return LakeTables.isEvolution(plan) ? withoutRows(plan) : emptied(plan);
            return WRITERS.contains(name) ? withoutRows(plan) : plan;
        }
    }

    /** Whether a plan does something when it is run. */
    static boolean isCommand(LogicalPlan plan) {
        String name = Reflection.nameOf(plan);
        return plan instanceof Command || name.startsWith("WriteTo");
    }

    /** Whether a plan is a command that may change what is not the plan's own. */
    static boolean isSkipped(LogicalPlan plan, Object session) {
        String name = Reflection.nameOf(plan);
        return isCommand(plan) && !ROWS.contains(name) && !isOfRows(plan) && !isHarmless(plan, name, session);
    }

    /** Whether a command changes nothing but rows of a table in a catalog that is only read. */
    static boolean isOfRows(LogicalPlan plan) {
        String name = Reflection.nameOf(plan);
        boolean isWrite = name.equals("AppendData") || name.startsWith("Overwrite");
        if (!isWrite && !name.equals("TruncateTable")) return false;
        Object relation = Reflection.call(plan, "table");
        Object catalog = Reflection.call(relation, "catalog");
        if (catalog instanceof scala.Some) catalog = ((scala.Some) catalog).get();
        return VirtualCatalog.isOne(catalog) && !(isWrite && LakeTables.isOfFiles(relation));
    }

    static LogicalPlan skipped(LogicalPlan plan) {
        skip(Reflection.nameOf(plan) + targetOf(plan));
        return emptied(plan);
    }

    /** What a connector writes into, in lines of their own: a URL, a table. */
    private static String targetOf(LogicalPlan plan) {
        if (!Reflection.nameOf(plan).equals("SaveIntoDataSourceCommand")) return "";
        scala.collection.immutable.Map options =
            new CaseInsensitiveMap((scala.collection.immutable.Map) Reflection.call(plan, "options"));
        String target = "";
        for (int i = 0; i < TARGETS.length; i++) {
            if (options.contains(TARGETS[i])) target += "\n" + options.apply(TARGETS[i]);
        }
        return target;
    }

    /** Whether a command changes nothing but what the plan keeps. */
    static boolean isHarmless(LogicalPlan plan, String name, Object session) {
        if (!COMMANDS.contains(name)) return false;
        if (name.equals("SaveIntoDataSourceCommand")) return LakeTables.isDelta(Reflection.call(plan, "dataSource"));
        if (name.equals("AppendData") || name.startsWith("Overwrite")) {
            Object relation = Reflection.call(plan, "table");
            Object table = Reflection.call(relation, "table");
            return table != null && (TABLES.contains(Reflection.nameOf(table)) || LakeTables.isOfFiles(relation));
        }
        if (!OF_CATALOGS.contains(name)) return true;
        List catalogs = catalogsOf(plan, session);
        for (Iterator each = catalogs.iterator(); each.hasNext();) {
            Object catalog = each.next();
            if (!isOwn(catalog) && (OF_TABLES.contains(name) || !VirtualCatalog.isOne(catalog))) return false;
        }
        return !catalogs.isEmpty();
    }

    /** The catalogs of what a command changes; once analyzed it need not have that as a child. */
    private static List catalogsOf(LogicalPlan plan, Object session) {
        List catalogs = new ArrayList();
        Object parts = Reflection.call(plan, "table");  // of a command of Iceberg's, by its name
        if (parts instanceof scala.collection.Iterable) catalogs.add(LakeTables.catalogOf(parts, session));
        for (int i = 0; i < plan.productArity(); i++) {
            Object part = plan.productElement(i);
            boolean isTarget = part instanceof LogicalPlan && Reflection.nameOf(part).startsWith("Resolved");
            if (isTarget) catalogs.add(Reflection.call(part, "catalog"));
        }
        return catalogs;
    }

    /** Whether a catalog is in memory, or has files only, so that its changes are the plan's own. */
    static boolean isOwn(Object catalog) {
        return CATALOGS.contains(Reflection.nameOf(catalog)) || LakeTables.isCatalogOfFiles(catalog);
    }

    private static boolean isSource(LogicalPlan plan) {
        String name = Reflection.nameOf(plan);
        return plan.children().isEmpty() && !(plan instanceof Command)
            && !name.startsWith("Resolved") && !LEAVES.contains(name);
    }

    private static boolean isScan(LogicalPlan plan) {
        String name = Reflection.nameOf(plan);
        if (plan.containsPattern(TreePattern.PLAN_EXPRESSION())
            || plan.containsPattern(TreePattern.PYTHON_UDF())) return false;
        while (name.equals("Project") || name.equals("Filter")) {
            plan = (LogicalPlan) plan.children().apply(0);
            name = Reflection.nameOf(plan);
        }
        return isSource(plan);
    }

    /** Puts an RDD without partitions in place of each scan; the scan's own RDD is its parent. */
    public static class Scans extends scala.runtime.AbstractPartialFunction {
        private final Object session;

        public Scans(Object session) { this.session = session; }

        public boolean isDefinedAt(Object found) { return true; }

        public Object applyOrElse(Object found, scala.Function1 otherwise) {
            LogicalPlan plan = (LogicalPlan) found;
            if (!isScan(plan)) return plan;
            LakeTables.IS_SCANNED.set(Boolean.TRUE);
            try {
                QueryPlanner planner = (QueryPlanner) Reflection.call(Reflection.call(session, "sessionState"), "planner");
                SparkPlan scan = (SparkPlan) planner.plan(plan).next();
                RDD none = PartitionPruningRDD.create(scan.execute(), NO_PARTITION);
                return new LogicalQueryStage(plan, scanOf(plan, none));
            } finally { LakeTables.IS_SCANNED.remove(); }
        }

        private static SparkPlan scanOf(LogicalPlan plan, RDD rdd) {
            try {
                Object[] values = {plan.output(), rdd, "colgraph"};
                return (SparkPlan) Reflection.instance(RDDScanExec.class, values);
            } catch (Exception error) { throw new IllegalStateException("colgraph plan: a scan", error); }
        }
    }

    /** A scala.Function1 that makes the strategy, for sessions that begin later. */
    public static class Builder extends scala.runtime.AbstractFunction1 {
        public Object apply(Object session) { return new DryRunStrategy(session); }
    }
}
