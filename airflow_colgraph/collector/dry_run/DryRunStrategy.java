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
import org.apache.spark.rdd.PartitionPruningRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.planning.QueryPlanner;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReturnAnswer;
import org.apache.spark.sql.catalyst.trees.TreePattern;
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
    private static final List SKIPPED = Collections.synchronizedList(new ArrayList());
    private static final List CONFIGURATIONS = new ArrayList();

    public static void allow(String kind, String name) {
        if (kind.equals("leaf")) LEAVES.add(name);
        else if (kind.equals("command")) COMMANDS.add(name);
        else if (kind.equals("writer")) WRITERS.add(name);
        else if (kind.equals("catalog")) CATALOGS.add(name);
        else TABLES.add(name);
    }

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
    private static final ThreadLocal IS_SCANNED = new ThreadLocal();
    private static volatile boolean keepsScans = false;
    private final Object session;

    public DryRunStrategy(Object session) { this.session = session; }

    /** Whether sources stay in sight as RDDs without partitions: for what becomes an RDD. */
    public static void keepScans(boolean whether) { keepsScans = whether; }

    public SEQ apply(LogicalPlan plan) {
        if (IS_SCANNED.get() != null) return (SEQ) scala.collection.immutable.Nil$.MODULE$;
        if (plan instanceof ReturnAnswer) restore();
        LogicalPlan found = plan;
        if (keepsScans) found = (LogicalPlan) found.transformDown(new Scans(session));
        found = (LogicalPlan) found.transformUp(new Rewrite());
        if (found == plan) return (SEQ) scala.collection.immutable.Nil$.MODULE$;
        return (SEQ) new scala.collection.immutable.$colon$colon(planLater(found), scala.collection.immutable.Nil$.MODULE$);
    }

    private static String nameOf(Object found) {
        String name = found.getClass().getName();
        while (name.endsWith("$")) name = name.substring(0, name.length() - 1);
        name = name.substring(name.lastIndexOf('.') + 1);
        return name.substring(name.lastIndexOf('$') + 1);
    }

    private static LogicalPlan emptied(LogicalPlan plan) {
        return LocalRelation.fromExternalRows(plan.output(), (SEQ) scala.collection.immutable.Nil$.MODULE$);
    }

    /** A write of no rows: its query is not run, not even where one row comes of none. */
    private static LogicalPlan withoutRows(LogicalPlan plan) {
        LogicalPlan query = (LogicalPlan) plan.children().apply(0);
        if (plan.children().length() != 1 || nameOf(query).equals("WriteFiles")) return plan;
        SEQ queries = (SEQ) new scala.collection.immutable.$colon$colon(
            emptied(query), scala.collection.immutable.Nil$.MODULE$);
        return (LogicalPlan) plan.withNewChildren(queries);
    }

    public static class Rewrite extends scala.runtime.AbstractPartialFunction {
        public boolean isDefinedAt(Object found) { return true; }

        public Object applyOrElse(Object found, scala.Function1 otherwise) {
            LogicalPlan plan = (LogicalPlan) found;
            String name = nameOf(plan);
            if (plan instanceof Command || name.startsWith("WriteTo")) {
                if (isHarmless(plan, name)) return WRITERS.contains(name) ? withoutRows(plan) : plan;
                SKIPPED.add(name);
                return emptied(plan);
            }
            if (name.equals("WriteFiles")) return withoutRows(plan);
            if (plan.children().isEmpty()) {
                boolean isName = name.startsWith("Resolved");  // of what a command is about
                return isName || LEAVES.contains(name) ? plan : emptied(plan);
            }
            return plan.containsPattern(TreePattern.PYTHON_UDF()) ? emptied(plan) : plan;
        }

        private static boolean isHarmless(LogicalPlan plan, String name) {
            if (!COMMANDS.contains(name)) return false;
            if (name.equals("AppendData") || name.startsWith("Overwrite")) {
                Object table = call(call(plan, "table"), "table");
                return table != null && TABLES.contains(nameOf(table));
            }
            for (int i = 0; i < plan.children().length(); i++) {
                Object catalog = call(plan.children().apply(i), "catalog");
                if (catalog != null && !CATALOGS.contains(nameOf(catalog))) return false;
            }
            return true;
        }

        static Object call(Object found, String method) {
            if (found == null) return null;
            try { return found.getClass().getMethod(method, new Class[0]).invoke(found, new Object[0]); }
            catch (NoSuchMethodException error) { return null; }
            catch (Exception error) { throw new IllegalStateException("colgraph plan: " + method, error); }
        }
    }

    private static boolean isSource(LogicalPlan plan) {
        String name = nameOf(plan);
        return plan.children().isEmpty() && !(plan instanceof Command)
            && !name.startsWith("Resolved") && !LEAVES.contains(name);
    }

    private static boolean isScan(LogicalPlan plan) {
        String name = nameOf(plan);
        if (plan.containsPattern(TreePattern.PLAN_EXPRESSION())
            || plan.containsPattern(TreePattern.PYTHON_UDF())) return false;
        while (name.equals("Project") || name.equals("Filter")) {
            plan = (LogicalPlan) plan.children().apply(0);
            name = nameOf(plan);
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
            IS_SCANNED.set(Boolean.TRUE);
            try {
                QueryPlanner planner = (QueryPlanner) Rewrite.call(Rewrite.call(session, "sessionState"), "planner");
                SparkPlan scan = (SparkPlan) planner.plan(plan).next();
                RDD none = PartitionPruningRDD.create(scan.execute(), NO_PARTITION);
                return new LogicalQueryStage(plan, scanOf(plan, none));
            } finally { IS_SCANNED.remove(); }
        }

        private static SparkPlan scanOf(LogicalPlan plan, RDD rdd) {
            try {
                java.lang.reflect.Constructor made = RDDScanExec.class.getConstructors()[0];
                Object[] values = new Object[made.getParameterTypes().length];
                values[0] = plan.output();
                values[1] = rdd;
                values[2] = "colgraph";
                for (int i = 3; i < values.length; i++) {
                    values[i] = RDDScanExec.class
                        .getMethod("$lessinit$greater$default$" + (i + 1), new Class[0])
                        .invoke(null, new Object[0]);
                }
                return (SparkPlan) made.newInstance(values);
            } catch (Exception error) { throw new IllegalStateException("colgraph plan: a scan", error); }
        }
    }

    /** A scala.Function1 that makes the strategy, for sessions that begin later. */
    public static class Builder extends scala.runtime.AbstractFunction1 {
        public Object apply(Object session) { return new DryRunStrategy(session); }
    }
}
