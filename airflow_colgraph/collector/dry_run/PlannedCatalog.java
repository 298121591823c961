package colgraph;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.catalog.CatalogDatabase;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;

/** The session's catalog, and what changed in others, in the scratch folder, for a later task of the same DAG. */
public final class PlannedCatalog {
    private PlannedCatalog() { }

    /** Has again what an earlier plan has saved in a file, if there is one. */
    public static void restore(ExternalCatalog catalog, String file) throws Exception {
        if (!new File(file).exists()) return;
        ObjectInputStream input = new ObjectInputStream(new FileInputStream(file));
        List saved = (List) input.readObject();
        input.close();
        for (Iterator each = saved.iterator(); each.hasNext();) {
            Object definition = each.next();
            if (definition instanceof HashMap) VirtualCatalog.restore((HashMap) definition);
            else if (definition instanceof CatalogDatabase) catalog.createDatabase((CatalogDatabase) definition, true);
            else catalog.createTable((CatalogTable) definition, true);
        }
    }

    /** Saves the databases, tables and views in a file, and what changed in other catalogs. */
    public static void save(ExternalCatalog catalog, String file) throws Exception {
        List saved = new ArrayList();
        saved.add(VirtualCatalog.saved());
        for (int i = 0; i < catalog.listDatabases().length(); i++) {
            String database = (String) catalog.listDatabases().apply(i);
            saved.add(catalog.getDatabase(database));
            for (int j = 0; j < catalog.listTables(database).length(); j++) {
                saved.add(catalog.getTable(database, (String) catalog.listTables(database).apply(j)));
            }
        }
        ObjectOutputStream output = new ObjectOutputStream(new FileOutputStream(file));
        output.writeObject(saved);
        output.close();
    }
}
