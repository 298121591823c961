package colgraph;

import java.lang.reflect.Method;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;

/**
 * What Spark and its connectors do before a query is planned, and so before DryRunStrategy sees it.
 * The analyzer alters the target of WITH SCHEMA EVOLUTION and runs CALL; the optimizer builds
 * writes, by which Iceberg alters a table for `mergeSchema`.
 */
public final class DryRunRules {
    private DryRunRules() { }

    /** The class that `spark.sql.extensions` names: every session begins with the rules. */
    public static class Extension extends scala.runtime.AbstractFunction1 {
        public Object apply(Object extensions) {
            ((SparkSessionExtensions) extensions).injectOptimizerRule(new Builder(false));
            ((SparkSessionExtensions) extensions).injectParser(new SqlFiles.Parsers());
            try {
                Method inject = extensions.getClass().getMethod("injectHintResolutionRule", new Class[] {scala.Function1.class});
                inject.invoke(extensions, new Object[] {new Builder(true)});
            } catch (NoSuchMethodException error) {  // before Spark 4, whose analyzer changes nothing
            } catch (Exception error) { throw new IllegalStateException("colgraph plan: a rule", error); }
            return scala.runtime.BoxedUnit.UNIT;
        }
    }

    /** A scala.Function1 that makes a rule for a session. */
    public static class Builder extends scala.runtime.AbstractFunction1 {
        private final boolean isBeforeAnalysis;

        public Builder(boolean isBeforeAnalysis) { this.isBeforeAnalysis = isBeforeAnalysis; }

        public Object apply(Object session) {
            return isBeforeAnalysis ? (Object) new BeforeAnalysis(session) : (Object) new BeforeWrites(session);
        }
    }

    /** Comes before the analyzer resolves a statement. */
    public static class BeforeAnalysis extends Rule {
        private final Object session;

        public BeforeAnalysis(Object session) { this.session = session; }

        public TreeNode apply(TreeNode plan) {
            return ((LogicalPlan) plan).resolveOperatorsDown(new Harmless(session));
        }
    }

    /** Comes before the optimizer builds writes: those that would be skipped are not built. */
    public static class BeforeWrites extends Rule {
        private final Object session;

        public BeforeWrites(Object session) { this.session = session; }

        public TreeNode apply(TreeNode plan) { return ((LogicalPlan) plan).transformDown(new Skipped(session)); }
    }

    public static class Harmless extends scala.runtime.AbstractPartialFunction {
        private final Object session;

        public Harmless(Object session) { this.session = session; }

        public boolean isDefinedAt(Object plan) { return isCall(plan) || isEvolution(plan); }

        public Object applyOrElse(Object plan, scala.Function1 otherwise) {
            if (isCall(plan)) {
                DryRunStrategy.skip("CALL " + dotted(Reflection.call(Reflection.call(plan, "procedure"), "nameParts")));
                return DryRunStrategy.emptied((LogicalPlan) plan);
            }
            if (!isEvolution(plan)) return otherwise.apply(plan);
            DryRunStrategy.skip("schema evolution of " + nameOf(target(plan)));
            return withoutEvolution((LogicalPlan) plan);
        }

        private static boolean isCall(Object plan) {
            return Reflection.nameOf(plan).equals("Call") && Boolean.TRUE.equals(Reflection.call(plan, "execute"));
        }

        private boolean isEvolution(Object plan) {
            return Boolean.TRUE.equals(Reflection.call(plan, EVOLUTION)) && !isKept(target(plan));
        }

        private boolean isKept(Object target) {
            Object parts = Reflection.call(target, "multipartIdentifier");
            Object catalog = parts == null ? null : LakeTables.catalogOf(parts, session);
            if (parts != null) return VirtualCatalog.isOne(catalog) || DryRunStrategy.isOwn(catalog);
            return LakeTables.isOfFiles(target);
        }
    }

    public static class Skipped extends scala.runtime.AbstractPartialFunction {
        private final Object session;

        public Skipped(Object session) { this.session = session; }

        public boolean isDefinedAt(Object plan) {
            return LakeTables.IS_SCANNED.get() == null
                && (DryRunStrategy.isSkipped((LogicalPlan) plan, session) || DryRunStrategy.isOfRows((LogicalPlan) plan));
        }

        public Object applyOrElse(Object plan, scala.Function1 otherwise) {
            if (!isDefinedAt(plan)) return otherwise.apply(plan);
            if (!DryRunStrategy.isOfRows((LogicalPlan) plan)) return DryRunStrategy.skipped((LogicalPlan) plan);
            VirtualCatalog.merge((LogicalPlan) plan);
            return DryRunStrategy.emptied((LogicalPlan) plan);
        }
    }

    private static final String EVOLUTION = "withSchemaEvolution";

    /** The relation that a statement writes to, without its alias. */
    private static Object target(Object plan) {
        Object relation = Reflection.call(plan, "targetTable");
        if (relation == null) relation = Reflection.call(plan, "table");
        while (relation instanceof LogicalPlan && ((LogicalPlan) relation).children().length() == 1) {
            relation = ((LogicalPlan) relation).children().apply(0);
        }
        return relation;
    }

    private static String nameOf(Object target) {
        Object name = Reflection.call(target, "tableName");
        return "" + (name == null ? Reflection.call(target, "name") : name);
    }

    private static String dotted(Object parts) {
        return ((scala.collection.Iterable) parts).mkString(".");
    }

    private static LogicalPlan withoutEvolution(LogicalPlan plan) {
        Object[] values = new Object[plan.productArity()];
        scala.collection.Iterator names = (scala.collection.Iterator) Reflection.call(plan, "productElementNames");
        for (int i = 0; i < values.length; i++) {
            values[i] = names.next().equals(EVOLUTION) ? Boolean.FALSE : plan.productElement(i);
        }
        return (LogicalPlan) plan.makeCopy(values);
    }
}
