package colgraph;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap;
import org.apache.spark.sql.connector.catalog.CatalogExtension;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Stands in for a catalog that is a database's or a service's: the catalog itself is only read, and
 * what a plan's statements create, alter, rename and drop there is kept here for the later ones.
 */
public final class VirtualCatalog implements InvocationHandler {
    private static final List INTERFACES = Arrays.asList(new String[] {  // in any package: Iceberg had its own
        "FunctionCatalog", "ProcedureCatalog", "StagingTableCatalog", "SupportsNamespaces", "TableCatalog", "ViewCatalog"});
    private static final List READS = Arrays.asList(new String[] {  // that the catalog itself answers
        "capabilities", "changelogStateOptionKeys", "defaultNamespace", "functionExists", "invalidateTable",
        "invalidateView", "isExistingNamespace", "isFunctionNamespace", "listFunctions", "listProcedures", "listViews",
        "loadFunction", "loadProcedure", "loadView", "name", "supportedCustomMetrics", "tableStateOptionKeys", "toString",
        "useNullableQuerySchema", "viewExists"});
    private static final String DROPPED = "dropped";
    /** By catalog and namespace: its properties, or DROPPED; as VirtualTable.TABLES, which has tables. */
    private static final Map NAMESPACES = new ConcurrentHashMap();

    private final CatalogPlugin real;

    private VirtualCatalog(CatalogPlugin real) { this.real = real; }

    /** A catalog, so that nothing in it is changed; itself if its changes are the plan's own. */
    static Object wrapped(Object catalog) {
        Set interfaces = new LinkedHashSet();
        for (Class kind = catalog.getClass(); kind != null; kind = kind.getSuperclass()) addInterfaces(kind, interfaces);
        boolean isMixed = catalog instanceof CatalogExtension;  // has tables of the session's catalog, too
        if (isMixed || interfaces.isEmpty() || isOne(catalog) || LakeTables.isCatalogOfFiles(catalog)) return catalog;
        return Proxy.newProxyInstance(catalog.getClass().getClassLoader(),
            (Class[]) interfaces.toArray(new Class[0]), new VirtualCatalog((CatalogPlugin) catalog));
    }

    private static void addInterfaces(Class kind, Set interfaces) {
        Class[] own = kind.getInterfaces();
        for (int i = 0; i < own.length; i++) {
            if (INTERFACES.contains(own[i].getSimpleName())) interfaces.add(own[i]);
            addInterfaces(own[i], interfaces);
        }
    }

    /** Whether a catalog is one of these. */
    static boolean isOne(Object catalog) {
        return catalog != null && Proxy.isProxyClass(catalog.getClass())
            && Proxy.getInvocationHandler(catalog) instanceof VirtualCatalog;
    }

    /** What the plan has changed, for a later task of the same DAG. */
    static HashMap saved() {
        HashMap saved = new HashMap();
        saved.put("tables", VirtualTable.TABLES);
        saved.put("namespaces", NAMESPACES);
        return saved;
    }

    static void restore(Map saved) {
        VirtualTable.TABLES.putAll((Map) saved.get("tables"));
        NAMESPACES.putAll((Map) saved.get("namespaces"));
    }

    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (name.equals("equals")) return Boolean.valueOf(proxy == arguments[0]);
        if (name.equals("hashCode")) return new Integer(System.identityHashCode(proxy));
        try {
            if (READS.contains(name)) return method.invoke(real, arguments);
            if (arguments != null && arguments[0] instanceof Identifier) return ofTable(name, method, arguments);
            return ofNamespace(name, method, arguments);
        } catch (InvocationTargetException error) { throw error.getCause(); }
    }

    private static UnsupportedOperationException refused(String name) {
        return new UnsupportedOperationException("colgraph plan: " + name + " is not called in a plan");
    }

    // Tables -----------------------------------------------------------------------------------

    private Object ofTable(String name, Method method, Object[] arguments) throws Throwable {
        Identifier identifier = (Identifier) arguments[0];
        List key = key(identifier.namespace(), identifier.name());
        if (name.equals("loadTable")) return load(identifier, key, method, arguments);
        if (name.equals("tableExists")) return Boolean.valueOf(exists(identifier, key));
        if (name.equals("createTable")) return create(identifier, key, arguments, true);
        if (name.startsWith("stage")) return create(identifier, key, arguments, false);
        if (name.equals("alterTable")) return alter(key, table(identifier, key), (Object[]) arguments[1]);
        if (name.equals("renameTable")) return rename(identifier, key, (Identifier) arguments[1]);
        if (!name.equals("dropTable") && !name.equals("purgeTable")) throw refused(name);
        boolean isThere = exists(identifier, key);
        if (isThere) VirtualTable.TABLES.put(key, DROPPED);
        return Boolean.valueOf(isThere);
    }

    private List key(String[] namespace, String name) {
        List key = new ArrayList();
        key.add(real.name());
        key.addAll(Arrays.asList(namespace));
        if (name != null) key.add(name);
        return key;
    }

    private Object load(Identifier identifier, List key, Method method, Object[] arguments) throws Throwable {
        Object table = VirtualTable.TABLES.get(key);
        if (DROPPED.equals(table)) throw missing(identifier);
        boolean isTravel = arguments.length == 2 && (arguments[1] instanceof String || arguments[1] instanceof Long);
        if (!isTravel) return table == null ? method.invoke(real, arguments) : table;
        if (!((TableCatalog) real).tableExists(identifier)) return table(identifier, key);
        try { return method.invoke(real, arguments); }
        catch (InvocationTargetException error) { return table(identifier, key); }  // a version that only a run makes
    }

    private boolean exists(Identifier identifier, List key) throws Throwable {
        Object table = VirtualTable.TABLES.get(key);
        return table == null ? ((TableCatalog) real).tableExists(identifier) : !DROPPED.equals(table);
    }

    private Table table(Identifier identifier, List key) throws Throwable {
        Object table = VirtualTable.TABLES.get(key);
        if (DROPPED.equals(table)) throw missing(identifier);
        return (Table) (table == null ? ((TableCatalog) real).loadTable(identifier) : table);
    }

    private static Throwable missing(Identifier identifier) throws Exception {
        Class kind = Class.forName("org.apache.spark.sql.catalyst.analysis.NoSuchTableException");
        return (Throwable) kind.getConstructor(new Class[] {Identifier.class}).newInstance(new Object[] {identifier});
    }

    /** A table by its columns, partitioning and properties, which a TableInfo may have. */
    private Object create(Identifier identifier, List key, Object[] arguments, boolean isKept) throws Throwable {
        boolean isInfo = arguments.length == 2;
        Object columns = isInfo ? Reflection.call(arguments[1], "columns") : arguments[1];
        Object partitions = isInfo ? Reflection.call(arguments[1], "partitions") : arguments[2];
        Map properties = new HashMap((Map) (isInfo ? Reflection.call(arguments[1], "properties") : arguments[3]));
        if (!properties.containsKey("location")) {
            String location = locationOf(identifier, key, isKept);
            if (location != null) properties.put("location", location);
        }
        StructType schema = (StructType) (columns instanceof StructType ? columns
            : ofSpark("v2ColumnsToStructType", new Object[] {columns}));
        VirtualTable table = new VirtualTable(key, schema, (Transform[]) partitions, properties);
        if (isKept) table.commitStagedChanges();
        return table;
    }

    /** A change of columns or properties, which Spark itself applies to the schema. */
    private Object alter(List key, Table table, Object[] changes) throws Throwable {
        Object list = list(changes);
        Object schema = ofSpark("applySchemaChanges", new Object[] {table.schema(), list, scala.None$.MODULE$, "ALTER TABLE"});
        Object properties = ofSpark("applyPropertiesChanges", new Object[] {table.properties(), list});
        VirtualTable.TABLES.put(key, new VirtualTable(key, (StructType) schema, table.partitioning(), (Map) properties));
        return VirtualTable.TABLES.get(key);
    }

    private static Object list(Object[] values) {
        scala.collection.immutable.List list = scala.collection.immutable.Nil$.MODULE$;
        for (int i = values.length - 1; i >= 0; i--) list = new scala.collection.immutable.$colon$colon(values[i], list);
        return list;
    }

    /** Adds the columns that a write with `mergeSchema` would add to its table, if that takes any. */
    static void merge(LogicalPlan write) {
        Object relation = Reflection.call(write, "table"), given = Reflection.call(write, "writeOptions");
        Table table = (Table) Reflection.call(relation, "table");
        if (given == null || !table.capabilities().contains(TableCapability.ACCEPT_ANY_SCHEMA)) return;
        CaseInsensitiveMap options = new CaseInsensitiveMap((scala.collection.immutable.Map) given);
        boolean isMerged = false;
        for (int i = 0; i < MERGES.length; i++) isMerged |= options.contains(MERGES[i]) && options.apply(MERGES[i]).equals("true");
        if (!isMerged) return;
        StructType schema = table.schema();
        StructField[] fields = ((LogicalPlan) Reflection.call(write, "query")).schema().fields();
        for (int i = 0; i < fields.length; i++) {
            if (!Arrays.asList(schema.fieldNames()).contains(fields[i].name())) schema = schema.add(fields[i].name(), fields[i].dataType());
        }
        Identifier identifier = (Identifier) ((scala.Some) Reflection.call(relation, "identifier")).get();
        Object catalog = ((scala.Some) Reflection.call(relation, "catalog")).get();
        List key = ((VirtualCatalog) Proxy.getInvocationHandler(catalog)).key(identifier.namespace(), identifier.name());
        VirtualTable.TABLES.put(key, new VirtualTable(key, schema, table.partitioning(), table.properties()));
    }

    private static final String[] MERGES = {"mergeSchema", "merge-schema"};

    private Object rename(Identifier from, List key, Identifier to) throws Throwable {
        Table table = table(from, key);
        List after = key(to.namespace(), to.name());
        VirtualTable.TABLES.put(after, new VirtualTable(after, table.schema(), table.partitioning(), table.properties()));
        VirtualTable.TABLES.put(key, DROPPED);
        return null;
    }

    /** A method of Spark's CatalogV2Util that takes these arguments. */
    private static Object ofSpark(String name, Object[] arguments) throws Throwable {
        Class kind = Class.forName("org.apache.spark.sql.connector.catalog.CatalogV2Util$");
        Method[] methods = kind.getMethods();
        for (int i = 0; i < methods.length; i++) {
            Class[] kinds = methods[i].getParameterTypes();
            if (!methods[i].getName().equals(name) || kinds.length != arguments.length) continue;
            boolean isFit = true;
            for (int j = 0; j < kinds.length; j++) isFit &= kinds[j].isInstance(arguments[j]);
            if (isFit) return methods[i].invoke(kind.getField("MODULE$").get(null), arguments);
        }
        throw new NoSuchMethodException(name);
    }

    // Where a table would be -------------------------------------------------------------------

    /** The place of a table that is created; that of the table that it replaces; null if unknown. */
    private String locationOf(Identifier identifier, List key, boolean isNew) throws Throwable {
        if (!isNew && exists(identifier, key)) return (String) table(identifier, key).properties().get("location");
        Object ofPath = Reflection.call(identifier, "location");  // Iceberg's table by its path
        if (ofPath != null) return (String) ofPath;
        Object behind = Reflection.call(real, "icebergCatalog");
        if (behind == null) return null;
        if (behind.getClass().getName().endsWith(".CachingCatalog")) behind = Reflection.field(behind, "catalog");
        // Another project's may create the table in order to know.
        boolean isKnown = behind.getClass().getName().startsWith("org.apache.iceberg.") && isReal(identifier.namespace());
        for (Class kind = behind.getClass(); isKnown && kind != null; kind = kind.getSuperclass()) {
            Method[] methods = kind.getDeclaredMethods();
            for (int i = 0; i < methods.length; i++) {
                if (!methods[i].getName().equals("defaultWarehouseLocation")) continue;
                methods[i].setAccessible(true);
                return (String) methods[i].invoke(behind, new Object[] {icebergs(methods[i].getParameterTypes()[0], key)});
            }
        }
        return inNamespace(identifier, key);
    }

    private static Object icebergs(Class identifier, List key) throws Exception {
        Object parts = key.subList(1, key.size()).toArray(new String[0]);
        return identifier.getMethod("of", new Class[] {String[].class}).invoke(null, new Object[] {parts});
    }

    /** Below the namespace's location, else beside another table that has its name's place. */
    private String inNamespace(Identifier identifier, List key) throws Throwable {
        Map properties = properties(identifier.namespace());
        if (properties != null && properties.get("location") != null) return properties.get("location") + "/" + identifier.name();
        Identifier[] others = tablesIn(identifier.namespace(), key.subList(0, key.size() - 1));
        for (int i = 0; i < others.length; i++) {
            Object location = table(others[i], key(others[i].namespace(), others[i].name())).properties().get("location");
            String end = "/" + others[i].name();
            if (!("" + location).endsWith(end)) continue;
            return location.toString().substring(0, location.toString().length() - end.length()) + "/" + identifier.name();
        }
        return null;
    }

    // Namespaces -------------------------------------------------------------------------------

    private Object ofNamespace(String name, Method method, Object[] arguments) throws Throwable {
        String[] namespace = arguments == null ? new String[0] : (String[]) arguments[0];
        List key = key(namespace, null);
        if (name.equals("listTables")) return tablesIn(namespace, key);
        if (name.equals("listTableSummaries")) return summaries(tablesIn(namespace, key), method.getReturnType().getComponentType());
        if (name.equals("listNamespaces")) return namespacesIn(namespace, key);
        if (name.equals("namespaceExists")) return Boolean.valueOf(properties(namespace) != null);
        if (name.equals("loadNamespaceMetadata")) {
            Object properties = properties(namespace);
            return properties == null ? method.invoke(real, arguments) : properties;
        }
        if (name.equals("createNamespace")) return NAMESPACES.put(key, new HashMap((Map) arguments[1]));
        if (name.equals("alterNamespace")) {
            Object[] changes = {properties(namespace), list((Object[]) arguments[1])};
            return NAMESPACES.put(key, ofSpark("applyNamespaceChanges", changes));
        }
        if (!name.equals("dropNamespace")) throw refused(name);
        Identifier[] tables = tablesIn(namespace, key);
        for (int i = 0; i < tables.length; i++) VirtualTable.TABLES.put(key(namespace, tables[i].name()), DROPPED);
        return Boolean.valueOf(!DROPPED.equals(NAMESPACES.put(key, DROPPED)));
    }

    /** The properties of a namespace; null if there is none. */
    private Map properties(String[] namespace) throws Throwable {
        Object properties = NAMESPACES.get(key(namespace, null));
        if (DROPPED.equals(properties)) return null;
        if (properties != null) return (Map) properties;
        return isReal(namespace) ? ((SupportsNamespaces) real).loadNamespaceMetadata(namespace) : null;
    }

    private boolean isReal(String[] namespace) { return ((SupportsNamespaces) real).namespaceExists(namespace); }

    private Identifier[] tablesIn(String[] namespace, List key) throws Throwable {
        Method identified = Identifier.class.getMethod("of", new Class[] {String[].class, String.class});
        Set names = new LinkedHashSet();
        if (isReal(namespace)) names.addAll(Arrays.asList((Object[]) ((TableCatalog) real).listTables(namespace)));
        for (Iterator each = VirtualTable.TABLES.entrySet().iterator(); each.hasNext();) {
            Map.Entry entry = (Map.Entry) each.next();
            List table = (List) entry.getKey();
            int last = table.size() - 1;
            if (!table.subList(0, last).equals(key)) continue;
            Object identifier = identified.invoke(null, new Object[] {namespace, table.get(last)});
            names.remove(identifier);
            if (!DROPPED.equals(entry.getValue())) names.add(identifier);
        }
        return (Identifier[]) names.toArray(new Identifier[0]);
    }

    /** What Spark 4 lists of tables: their names, and a type. */
    private static Object summaries(Identifier[] tables, Class kind) throws Exception {
        Object list = Array.newInstance(kind, tables.length);
        Method of = kind.getMethod("of", new Class[] {Identifier.class, String.class});
        for (int i = 0; i < tables.length; i++) Array.set(list, i, of.invoke(null, new Object[] {tables[i], "MANAGED"}));
        return list;
    }

    private String[][] namespacesIn(String[] namespace, List key) throws Throwable {
        Set names = new LinkedHashSet();
        if (namespace.length == 0 || isReal(namespace)) {
            String[][] there = ((SupportsNamespaces) real).listNamespaces(namespace);
            for (int i = 0; i < there.length; i++) names.add(Arrays.asList(there[i]));
        }
        for (Iterator each = NAMESPACES.entrySet().iterator(); each.hasNext();) {
            Map.Entry entry = (Map.Entry) each.next();
            List name = ((List) entry.getKey()).subList(1, ((List) entry.getKey()).size());
            if (name.size() != key.size() || !name.subList(0, key.size() - 1).equals(key.subList(1, key.size()))) continue;
            names.remove(name);
            if (!DROPPED.equals(entry.getValue())) names.add(name);
        }
        String[][] list = new String[names.size()][];
        Iterator each = names.iterator();
        for (int i = 0; i < list.length; i++) list[i] = (String[]) ((Collection) each.next()).toArray(new String[0]);
        return list;
    }
}
