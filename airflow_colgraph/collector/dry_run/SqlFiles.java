package colgraph;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * The files that SQL text reads, by their path or as a table without columns. Spark would look for
 * their columns in rows, and there are none; here they are asked for when the text is parsed.
 */
public final class SqlFiles {
    private static volatile Function schemas = null;

    private SqlFiles() { }

    /** What returns the schema, as JSON, of a list of a format, a path and options; null: not known. */
    public static void ask(Function function) { schemas = function; }

    /** A scala.Function2 that wraps the parser of a session. */
    public static class Parsers extends scala.runtime.AbstractFunction2 {
        public Object apply(Object session, Object parser) {
            Class[] kinds = {ParserInterface.class};
            return Proxy.newProxyInstance(parser.getClass().getClassLoader(), kinds, new Parser(session, parser));
        }
    }

    public static class Parser implements InvocationHandler {
        private final Object session;
        private final Object parser;

        public Parser(Object session, Object parser) { this.session = session; this.parser = parser; }

        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            Object parsed;
            try { parsed = method.invoke(parser, arguments); }
            catch (InvocationTargetException error) { throw error.getTargetException(); }
            if (schemas == null || !(parsed instanceof LogicalPlan)) return parsed;
            return described((LogicalPlan) parsed, (SparkSession) session);
        }
    }

    private static LogicalPlan described(LogicalPlan plan, SparkSession session) {
        return (LogicalPlan) plan.transformDownWithSubqueries(new Described(session));
    }

    public static class Described extends scala.runtime.AbstractPartialFunction {
        private final SparkSession session;

        public Described(SparkSession session) { this.session = session; }

        public boolean isDefinedAt(Object plan) { return true; }

        public Object applyOrElse(Object found, scala.Function1 otherwise) {
            LogicalPlan plan = (LogicalPlan) found;
            String name = Reflection.nameOf(plan);
            if (name.equals("UnresolvedRelation")) return relation(plan, session);
            if (name.equals("InsertIntoStatement")) relation((LogicalPlan) plan.productElement(0), session);  // makes Delta's table
            if (name.equals("UnresolvedWith")) return with(plan, session);
            if (name.equals("CreateTempViewUsing")) return view(plan, session);
            return name.equals("CreateTable") ? table(plan, session) : plan;
        }
    }

    private static LogicalPlan relation(LogicalPlan plan, SparkSession session) {
        scala.collection.Seq parts = (scala.collection.Seq) Reflection.call(plan, "multipartIdentifier");
        if (parts == null || parts.length() != 2 || Boolean.TRUE.equals(Reflection.call(plan, "isStreaming"))) return plan;
        Map options = new HashMap((Map) Reflection.call(plan, "options"));
        Object rows = read("" + parts.apply(0), "" + parts.apply(1), options, session);
        if (rows == null) return plan;
        return (LogicalPlan) Reflection.call(Reflection.call(rows, "queryExecution"), "analyzed");
    }

    private static LogicalPlan with(LogicalPlan plan, SparkSession session) {
        scala.collection.Seq queries = (scala.collection.Seq) Reflection.call(plan, "cteRelations");
        List copies = new ArrayList();
        for (int i = 0; i < queries.length(); i++) {
            scala.Product query = (scala.Product) queries.apply(i);
            Object[] values = new Object[query.productArity()];
            for (int j = 0; j < values.length; j++) {
                Object value = query.productElement(j);
                values[j] = value instanceof LogicalPlan ? described((LogicalPlan) value, session) : value;
            }
            copies.add(copy(query, values));
        }
        return copyWith(plan, sequence(copies));
    }

    private static LogicalPlan view(LogicalPlan plan, SparkSession session) {
        Object named = Reflection.call(plan, "userSpecifiedSchema");
        if (named instanceof scala.Some) return plan;
        Map options = mapOf((scala.collection.Iterable) Reflection.call(plan, "options"));
        StructType schema = schemaOf("" + Reflection.call(plan, "provider"), null, options, session);
        return schema == null ? plan : copyWith(plan, new scala.Some(schema));
    }

    private static LogicalPlan table(LogicalPlan plan, SparkSession session) {
        Object columns = plan.productElement(1);
        Object spec = Reflection.call(plan, "tableSpec"), provider = Reflection.call(spec, "provider");
        if (((scala.collection.Seq) columns).length() > 0 || !(provider instanceof scala.Some)) return plan;
        Object own = Reflection.call(spec, "optionExpression");
        Map options = own == null ? new HashMap() : mapOf((scala.collection.Iterable) Reflection.call(own, "options"));
        Object location = Reflection.call(spec, "location");
        Object path = location instanceof scala.Some ? ((scala.Some) location).get() : null;
        StructType schema = schemaOf("" + ((scala.Some) provider).get(), (String) path, options, session);
        if (schema == null) return plan;
        if (columns instanceof StructType) return copyWith(plan, schema);
        List defined = new ArrayList();
        for (int i = 0; i < schema.fields().length; i++) defined.add(definition(schema.fields()[i], session));
        return copyWith(plan, sequence(defined));
    }

    private static Object definition(Object field, SparkSession session) {
        try {
            Class kind = Class.forName("org.apache.spark.sql.catalyst.plans.logical.ColumnDefinition$", true, session.getClass().getClassLoader());
            Object parser = Reflection.call(Reflection.call(session, "sessionState"), "sqlParser");
            Object companion = kind.getField("MODULE$").get(null);
            Class[] kinds = {org.apache.spark.sql.types.StructField.class, ParserInterface.class};
            return kind.getMethod("fromV1Column", kinds).invoke(companion, new Object[] {field, parser});
        } catch (Exception error) { throw new IllegalStateException("colgraph plan: a column", error); }
    }

    private static StructType schemaOf(String format, String path, Map options, SparkSession session) {
        Map others = new HashMap();
        for (Object name : options.keySet()) {
            if (name.toString().equalsIgnoreCase("path")) path = "" + options.get(name);
            else others.put(name, options.get(name));
        }
        Object rows = path == null ? null : read(format, path, others, session);
        return rows == null ? null : (StructType) Reflection.call(rows, "schema");
    }

    /** The rows of files whose columns are known; null if they are not. */
    private static Object read(String format, String path, Map options, SparkSession session) {
        Object schema = schemas.apply(Arrays.asList(new Object[] {format, path, options}));
        if (schema == null) return null;
        StructType columns = (StructType) DataType.fromJson(schema.toString());
        return session.read().format(format).options(options).schema(columns).load(path);
    }

    private static Map mapOf(scala.collection.Iterable pairs) {
        Map map = new HashMap();
        for (scala.collection.Iterator each = pairs.iterator(); each.hasNext();) {
            scala.Tuple2 pair = (scala.Tuple2) each.next();
            Object value = Reflection.call(pair._2(), "value");  // of a literal
            map.put("" + pair._1(), "" + (value == null ? pair._2() : value));
        }
        return map;
    }

    /** A copy with another second part: columns, or the queries of WITH. */
    private static LogicalPlan copyWith(LogicalPlan plan, Object second) {
        Object[] values = new Object[plan.productArity()];
        for (int i = 0; i < values.length; i++) values[i] = i == 1 ? second : plan.productElement(i);
        return (LogicalPlan) plan.makeCopy(values);
    }

    private static Object copy(scala.Product tuple, Object[] values) {
        try { return tuple.getClass().getConstructors()[0].newInstance(values); }
        catch (Exception error) { throw new IllegalStateException("colgraph plan: a query of WITH", error); }
    }

    private static Object sequence(List items) {
        scala.collection.immutable.List list = scala.collection.immutable.Nil$.MODULE$;
        for (int i = items.size() - 1; i >= 0; i--) {
            list = new scala.collection.immutable.$colon$colon(items.get(i), list);
        }
        return list;
    }
}
