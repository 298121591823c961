package colgraph;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import org.apache.xbean.asm9.ClassWriter;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;

/** The catalogs that a session has loaded, by name: each is a VirtualCatalog unless its changes are the plan's own. */
public final class LoadedCatalogs {
    private LoadedCatalogs() { }

    /** Lets a session's catalogs be wrapped when they are loaded. */
    public static void attach(Object session) throws Exception {
        Object manager = Reflection.call(Reflection.call(session, "sessionState"), "catalogManager");
        Field field = manager.getClass().getDeclaredField("catalogs");
        field.setAccessible(true);
        scala.collection.mutable.HashMap before = (scala.collection.mutable.HashMap) field.get(manager);
        if (before.getClass() == LOADED) return;
        if (LOADED == null) LOADED = loaded(LoadedCatalogs.class.getClassLoader());
        scala.collection.mutable.HashMap catalogs = (scala.collection.mutable.HashMap) LOADED.newInstance();
        for (scala.collection.Iterator each = before.keysIterator(); each.hasNext();) {
            Object name = each.next();
            catalogs.put(name, VirtualCatalog.wrapped(before.apply(name)));
        }
        field.set(manager, catalogs);
    }

    private static Class LOADED;

    /** A HashMap whose `getOrElseUpdate` wraps what it loads. Janino does not extend Scala's, so it is assembled. */
    private static Class loaded(ClassLoader loader) throws Exception {
        String name = "colgraph/Loaded", map = "scala/collection/mutable/HashMap", load = "Lscala/Function0;";
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, map, null);
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, map, "<init>", "()V", false);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(1, 1);
        String update = "(Ljava/lang/Object;" + load + ")Ljava/lang/Object;";
        code = writer.visitMethod(Opcodes.ACC_PUBLIC, "getOrElseUpdate", update, null, null);
        for (int i = 0; i < 3; i++) code.visitVarInsn(Opcodes.ALOAD, i);
        code.visitMethodInsn(Opcodes.INVOKESTATIC, "colgraph/LoadedCatalogs", "wrapping", "(" + load + ")" + load, false);
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, map, "getOrElseUpdate", update, false);
        code.visitInsn(Opcodes.ARETURN);
        code.visitMaxs(3, 3);
        byte[] bytes = writer.toByteArray();
        Class[] kinds = {String.class, byte[].class, int.class, int.class};
        Method define = ClassLoader.class.getDeclaredMethod("defineClass", kinds);
        define.setAccessible(true);
        return (Class) define.invoke(loader, new Object[] {null, bytes, new Integer(0), new Integer(bytes.length)});
    }

    /** What loads a catalog, which is then wrapped. */
    public static scala.Function0 wrapping(scala.Function0 load) { return new Wrapping(load); }

    public static class Wrapping extends scala.runtime.AbstractFunction0 {
        private final scala.Function0 load;

        public Wrapping(scala.Function0 load) { this.load = load; }

        public Object apply() { return VirtualCatalog.wrapped(load.apply()); }
    }
}
