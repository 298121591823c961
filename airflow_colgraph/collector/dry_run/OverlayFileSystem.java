package colgraph;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileWriter;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** A file system whose changes go to a scratch folder: what lies below is only read. */
public class OverlayFileSystem extends FileSystem {
    private static final String CHANGED = "changed.txt";
    private static final String[] STORES = {  // whose file systems come in jars of their own
        "abfs", "abfss", "adl", "cosn", "gs", "o3fs", "obs", "oci", "ofs", "oss", "s3", "s3a", "s3n",
        "wasb", "wasbs"};
    private static String scratch;
    private static Map implementations = new HashMap();  // scheme -> the class that reads
    private static Set changed = new HashSet();  // paths that are now those of the scratch folder

    private FileSystem below;
    private RawLocalFileSystem above;
    private Path working;

    /** Names the scratch folder: what an earlier plan has changed there is changed. */
    public static void configure(String folder) throws IOException {
        scratch = folder;
        File file = new File(folder, CHANGED);
        if (!file.exists()) return;
        List lines = Files.readAllLines(file.toPath());
        for (Iterator each = lines.iterator(); each.hasNext();) {
            changed.add(URLDecoder.decode((String) each.next(), "UTF-8"));
        }
    }

    /** Makes this the file system of every scheme; what was there is what is read. */
    public static void cover(Configuration configuration) {
        synchronized (implementations) {
            List schemes = new ArrayList(implementations.keySet());
            for (Iterator each = configuration.iterator(); each.hasNext();) {
                String name = (String) ((Map.Entry) each.next()).getKey();
                if (name.startsWith("fs.") && name.endsWith(".impl") && name.split("\\.").length == 3) {
                    schemes.add(name.substring(3, name.length() - 5));
                }
            }
            schemes.addAll(Arrays.asList(STORES));
            for (Iterator each = schemes.iterator(); each.hasNext();) {
                String scheme = (String) each.next();
                String name = "fs." + scheme + ".impl";
                String found = configuration.get(name);
                if (found != null && !found.equals(OverlayFileSystem.class.getName())) {
                    implementations.put(scheme, configuration.getClassByNameOrNull(found));
                }
                configuration.set(name, OverlayFileSystem.class.getName());
                configuration.set("fs." + scheme + ".impl.disable.cache", "false");
                configuration.set("fs.AbstractFileSystem." + scheme + ".impl", "colgraph.None");
            }
        }
    }

    /** A scheme that Hadoop knows without a setting, and the class that it has for it. */
    public static void serve(String scheme, Class implementation) {
        synchronized (implementations) { implementations.put(scheme, implementation); }
    }

    public OverlayFileSystem() { }

    public void initialize(URI name, Configuration conf) throws IOException {
        super.initialize(name, conf);
        try {
            Class kind = (Class) implementations.get(name.getScheme());
            if (kind == null) kind = AbsentFileSystem.class;
            below = (FileSystem) kind.getDeclaredConstructor(new Class[0]).newInstance(new Object[0]);
        } catch (Exception error) {
            throw new IOException("colgraph plan: no file system for " + name, error);
        }
        below.initialize(name, conf);
        above = new RawLocalFileSystem();
        above.initialize(URI.create("file:///"), conf);
        working = below.getWorkingDirectory();
    }

    public String getScheme() { return below.getScheme(); }
    public URI getUri() { return below.getUri(); }
    public Path getWorkingDirectory() { return working; }
    public void setWorkingDirectory(Path path) { working = makeQualified(path); }
    public long getDefaultBlockSize(Path path) { return below.getDefaultBlockSize(path); }

    private String key(Path path) {
        URI found = makeQualified(path).toUri();
        String authority = found.getAuthority() == null ? "" : found.getAuthority();
        return found.getScheme() + "/" + authority + found.getPath();
    }

    private static boolean isChanged(String key) {
        synchronized (changed) {
            for (String step = key; step.indexOf('/') >= 0; step = step.substring(0, step.lastIndexOf('/'))) {
                if (changed.contains(step)) return true;
            }
            return false;
        }
    }

    private static void change(String key) throws IOException {
        synchronized (changed) {
            if (!changed.add(key)) return;
            FileWriter writer = new FileWriter(new File(scratch, CHANGED), true);
            try { writer.write(URLEncoder.encode(key, "UTF-8") + "\n"); }
            finally { writer.close(); }
        }
    }

    private Path scratched(String key) { return new Path("file://" + scratch + "/" + key); }

    private FileStatus named(FileStatus found, Path path) {
        return new FileStatus(found.getLen(), found.isDirectory(), 1, found.getBlockSize(),
            found.getModificationTime(), found.getAccessTime(), found.getPermission(),
            found.getOwner(), found.getGroup(), makeQualified(path));
    }

    private boolean existsAbove(String key) throws IOException {
        try { above.getFileStatus(scratched(key)); return true; }
        catch (FileNotFoundException error) { return false; }
    }

    public FileStatus getFileStatus(Path path) throws IOException {
        String key = key(path);
        if (isChanged(key)) {
            try { return named(above.getFileStatus(scratched(key)), path); }
            catch (FileNotFoundException error) { throw new FileNotFoundException("" + path); }
        }
        try { return below.getFileStatus(path); }
        catch (FileNotFoundException error) {
            if (!existsAbove(key)) throw error;
            return named(above.getFileStatus(scratched(key)), path);
        }
    }

    public FileStatus[] listStatus(Path path) throws IOException {
        String key = key(path);
        Map found = new HashMap();
        boolean isThere = false;
        if (!isChanged(key)) {
            try {
                FileStatus[] listed = below.listStatus(path);
                isThere = true;
                for (int i = 0; i < listed.length; i++) {
                    if (!isChanged(key(listed[i].getPath()))) found.put(listed[i].getPath().getName(), listed[i]);
                }
            } catch (FileNotFoundException error) { }
        }
        if (existsAbove(key)) {
            isThere = true;
            FileStatus self = above.getFileStatus(scratched(key));
            if (self.isFile()) return new FileStatus[] {named(self, path)};
            FileStatus[] listed = above.listStatus(scratched(key));
            for (int i = 0; i < listed.length; i++) {
                String name = listed[i].getPath().getName();
                if (!found.containsKey(name)) found.put(name, named(listed[i], new Path(path, name)));
            }
        }
        if (!isThere) throw new FileNotFoundException("" + path);
        List names = new ArrayList(found.keySet());
        java.util.Collections.sort(names);
        FileStatus[] all = new FileStatus[names.size()];
        for (int i = 0; i < all.length; i++) all[i] = (FileStatus) found.get(names.get(i));
        return all;
    }

    public FSDataInputStream open(Path path, int size) throws IOException {
        String key = key(path);
        return isChanged(key) ? above.open(scratched(key), size) : below.open(path, size);
    }

    public FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite,
            int size, short replication, long blockSize, Progressable progress) throws IOException {
        if (!overwrite && exists(path)) throw new IOException("File already exists: " + path);
        String key = key(path);
        if (!isChanged(key)) change(key);
        return above.create(scratched(key), true, size, replication, blockSize, progress);
    }

    public FSDataOutputStream createNonRecursive(Path path, FsPermission permission,
            java.util.EnumSet flags, int size, short replication, long blockSize,
            Progressable progress) throws IOException {
        return create(path, permission, flags.contains(org.apache.hadoop.fs.CreateFlag.OVERWRITE),
            size, replication, blockSize, progress);
    }

    public FSDataOutputStream append(Path path, int size, Progressable progress) throws IOException {
        throw new IOException("colgraph plan: nothing is appended to " + path);
    }

    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        if (exists(path)) return true;
        String key = key(path);
        if (!isChanged(key)) change(key);
        return above.mkdirs(scratched(key));
    }

    public boolean delete(Path path, boolean recursive) throws IOException {
        if (!exists(path)) return false;
        String key = key(path);
        above.delete(scratched(key), true);
        change(key);
        return true;
    }

    public boolean rename(Path from, Path to) throws IOException {
        if (!exists(from)) return false;
        String source = key(from);
        if (exists(to) && getFileStatus(to).isDirectory()) to = new Path(to, from.getName());
        String target = key(to);
        if (existsAbove(target)) above.delete(scratched(target), true);
        above.mkdirs(scratched(target).getParent());
        if (existsAbove(source)) above.rename(scratched(source), scratched(target));
        else above.mkdirs(scratched(target));
        change(source);
        if (!isChanged(target)) change(target);
        return true;
    }

    public void setPermission(Path path, FsPermission permission) { }
    public void setOwner(Path path, String user, String group) { }
    public void setTimes(Path path, long modified, long accessed) { }
}
