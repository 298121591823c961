package colgraph;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** In place of a file system whose classes are not here, such as S3A without its jar: empty. */
public class AbsentFileSystem extends FileSystem {
    private static Set named = new HashSet();  // schemes that the user has been told of

    private URI uri;

    public AbsentFileSystem() { }

    public void initialize(URI name, Configuration conf) throws IOException {
        super.initialize(name, conf);
        setConf(conf);
        String authority = name.getAuthority() == null ? "" : name.getAuthority();
        uri = URI.create(name.getScheme() + "://" + authority);
        synchronized (named) {
            if (named.add(name.getScheme())) {
                System.err.println("colgraph plan: Hadoop has no file system for " + name.getScheme()
                    + ":// here. Only the sources of --schemas and --store are there.");
            }
        }
    }

    public String getScheme() { return uri.getScheme(); }
    public URI getUri() { return uri; }
    public Path getWorkingDirectory() { return new Path(uri + "/"); }
    public void setWorkingDirectory(Path path) { }

    public FileStatus getFileStatus(Path path) throws IOException { throw absent(path); }
    public FileStatus[] listStatus(Path path) throws IOException { throw absent(path); }
    public FSDataInputStream open(Path path, int size) throws IOException { throw absent(path); }

    public FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite,
            int size, short replication, long blockSize, Progressable progress) throws IOException {
        throw absent(path);
    }

    public FSDataOutputStream append(Path path, int size, Progressable progress) throws IOException {
        throw absent(path);
    }

    public boolean mkdirs(Path path, FsPermission permission) throws IOException { throw absent(path); }
    public boolean delete(Path path, boolean recursive) throws IOException { return false; }
    public boolean rename(Path from, Path to) throws IOException { return false; }

    private static FileNotFoundException absent(Path path) {
        return new FileNotFoundException(path + ": Hadoop has no file system for it here");
    }
}
