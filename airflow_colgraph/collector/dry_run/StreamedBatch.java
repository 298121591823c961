package colgraph;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;

/** A streaming Dataset as a batch: its streams' sources are those of a batch, with the same columns. */
public final class StreamedBatch {
    private StreamedBatch() { }

    /** A Dataset that is not streaming, of the same session. */
    public static Object of(Object dataset) throws Exception {
        QueryExecution query = (QueryExecution) Reflection.call(dataset, "queryExecution");
        Object plan = query.analyzed().transformDown(new Sources());
        Class companion = dataset.getClass().getClassLoader().loadClass(dataset.getClass().getName() + "$");
        Object module = companion.getField("MODULE$").get(null);
        java.lang.reflect.Method[] methods = companion.getMethods();
        for (int i = 0; i < methods.length; i++) {
            if (methods[i].getName().equals("ofRows") && methods[i].getParameterTypes().length == 2) {
                return methods[i].invoke(module, new Object[] {Reflection.call(dataset, "sparkSession"), plan});
            }
        }
        throw new IllegalStateException("colgraph plan: Dataset.ofRows");
    }

    /** The relation of a batch in place of each stream's. */
    public static class Sources extends scala.runtime.AbstractPartialFunction {
        public boolean isDefinedAt(Object found) { return true; }

        public Object applyOrElse(Object found, scala.Function1 otherwise) {
            String name = Reflection.nameOf(found);
            try {
                if (name.equals("StreamingRelation")) return ofSource((LogicalPlan) found);
                return name.equals("StreamingRelationV2") ? ofTable((LogicalPlan) found) : found;
            } catch (java.lang.reflect.InvocationTargetException error) {
                throw new IllegalStateException("" + error.getCause().getMessage(), error.getCause());
            } catch (Exception error) { throw new IllegalStateException("colgraph plan: " + name, error); }
        }

        private static LogicalPlan ofSource(LogicalPlan stream) throws Exception {
            Object source = Reflection.call(stream, "dataSource");
            Class[] kinds = {boolean.class, boolean.class};
            Object relation = source.getClass().getMethod("resolveRelation", kinds)
                .invoke(source, new Object[] {Boolean.FALSE, Boolean.FALSE});
            Object table = Reflection.call(source, "catalogTable");
            String name = "org.apache.spark.sql.execution.datasources.LogicalRelation";
            return made(name, new Object[] {relation, stream.output(), table, Boolean.FALSE});
        }

        private static LogicalPlan ofTable(LogicalPlan stream) throws Exception {
            Object table = Reflection.call(stream, "table");
            if (Reflection.nameOf(table).startsWith("Rate")) return DryRunStrategy.emptied(stream);  // rows of Spark's own
            String name = "org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation";
            return made(name, new Object[] {table, stream.output(), Reflection.call(stream, "catalog"),
                Reflection.call(stream, "identifier"), Reflection.call(stream, "extraOptions")});
        }

        /** A relation by its first values; the others have their defaults. */
        private static LogicalPlan made(String name, Object[] first) throws Exception {
            Class kind = LogicalPlan.class.getClassLoader().loadClass(name);
            return (LogicalPlan) Reflection.instance(kind, first);
        }
    }
}
