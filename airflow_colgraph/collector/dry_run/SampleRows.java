package colgraph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreePattern;

/** The rows that the user names for sources: they take the place of the source's own ones. */
public final class SampleRows {
    /** By path, or by a table's name in lower case: JSON objects. */
    private static final Map ROWS = new HashMap();

    private SampleRows() { }

    public static void put(String source, String[] rows) { ROWS.put(source, Arrays.asList(rows)); }

    /** The rows of a leaf as a plan with its columns; null if the user names none. */
    static LogicalPlan of(LogicalPlan leaf, Object session) {
        List rows = rowsOf(leaf);
        if (rows == null) return null;
        SparkSession spark = (SparkSession) session;
        Dataset lines = spark.createDataset(rows, Encoders.STRING());
        LogicalPlan parsed = (LogicalPlan) Reflection.call(Reflection.call(
            spark.read().schema(leaf.schema()).option("mode", "FAILFAST").json(lines), "queryExecution"), "analyzed");
        Object[] values = new Object[parsed.productArity()];
        for (int i = 0; i < values.length; i++) values[i] = i == 0 ? leaf.output() : parsed.productElement(i);
        return (LogicalPlan) parsed.makeCopy(values);
    }

    /** The numbers of a Range as rows that are there: Spark counts a Range's as rows that were read. */
    static LogicalPlan ofRange(LogicalPlan range) {
        long size = ((scala.math.BigInt) Reflection.call(range, "numElements")).toLong();
        if (size > MOST_NUMBERS) return range;
        long start = ((Long) Reflection.call(range, "start")).longValue();
        long step = ((Long) Reflection.call(range, "step")).longValue();
        scala.collection.immutable.List rows = scala.collection.immutable.Nil$.MODULE$;
        for (long i = size - 1; i >= 0; i--) {
            rows = new scala.collection.immutable.$colon$colon(RowFactory.create(new Object[] {new Long(start + i * step)}), rows);
        }
        return LocalRelation.fromExternalRows(range.output(), (SEQ) rows);
    }

    private static final long MOST_NUMBERS = 100000;

    /** Where all rows of a Dataset are from: 2 the user's, 1 the program's text; 0 if a source has none. */
    public static int known(Object dataset) {
        LogicalPlan plan = (LogicalPlan) Reflection.call(Reflection.call(dataset, "queryExecution"), "analyzed");
        if (plan.containsPattern(TreePattern.PLAN_EXPRESSION()) || plan.containsPattern(TreePattern.PYTHON_UDF())) return 0;
        scala.collection.Seq leaves = (scala.collection.Seq) Reflection.call(plan, "collectLeaves");
        int known = 1;
        for (int i = 0; i < leaves.length(); i++) {
            LogicalPlan leaf = (LogicalPlan) leaves.apply(i);
            if (rowsOf(leaf) != null) known = 2;
            else if (!OWN.contains(Reflection.nameOf(leaf))) return 0;
        }
        return known;
    }

    /** Leaves with rows that the program itself has written down. */
    private static final List OWN = Arrays.asList(new String[] {"LocalRelation", "OneRowRelation", "Range"});

    private static List rowsOf(LogicalPlan leaf) {
        if (ROWS.isEmpty()) return null;
        List names = namesOf(leaf);
        for (int i = 0; i < names.size(); i++) {
            for (String name = (String) names.get(i); name.length() > 1; name = name.substring(0, name.lastIndexOf('/'))) {
                if (ROWS.containsKey(name)) return (List) ROWS.get(name);
                if (name.lastIndexOf('/') < 1 || name.substring(name.lastIndexOf('/')).indexOf('=') >= 0) break;
            }
        }
        return null;
    }

    /** The names of what a leaf reads. */
    private static List namesOf(LogicalPlan leaf) {
        List names = new ArrayList();
        Object relation = Reflection.call(leaf, "relation");
        if (Reflection.nameOf(leaf).equals("LogicalRelation")) {
            Object table = Reflection.call(leaf, "catalogTable");
            if (table instanceof scala.Some) {
                addTable(names, Reflection.call(Reflection.call(((scala.Some) table).get(), "identifier"), "unquotedString"));
            }
            addTable(names, Reflection.call(Reflection.call(relation, "jdbcOptions"), "tableOrQuery"));
            Object paths = Reflection.call(Reflection.call(relation, "location"), "rootPaths");
            if (paths instanceof scala.collection.Seq) {
                for (int i = 0; i < ((scala.collection.Seq) paths).length(); i++) names.add("" + ((scala.collection.Seq) paths).apply(i));
            }
        } else if (Reflection.nameOf(leaf).startsWith("DataSourceV2")) {
            addTable(names, Reflection.call(relation == null ? leaf : relation, "name"));
        }
        return names;
    }

    private static void addTable(List names, Object name) {
        if (name == null) return;
        String table = name.toString().toLowerCase();
        names.add(table.startsWith("spark_catalog.") ? table.substring("spark_catalog.".length()) : table);
    }
}
