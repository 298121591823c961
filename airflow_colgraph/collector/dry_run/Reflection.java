package colgraph;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;

/** What differs between versions, or need not be there, is asked for by its name. */
final class Reflection {
    private Reflection() { }

    /** The name of an object's class without its package and outer classes. */
    static String nameOf(Object found) {
        String name = found.getClass().getName();
        while (name.endsWith("$")) name = name.substring(0, name.length() - 1);
        name = name.substring(name.lastIndexOf('.') + 1);
        return name.substring(name.lastIndexOf('$') + 1);
    }

    /** Whether an object is exactly of a class. */
    static boolean isClass(Object found, String name) {
        return found != null && found.getClass().getName().equals(name);
    }

    /** What a method without arguments returns; null if there is none. */
    static Object call(Object found, String method) {
        if (found == null) return null;
        try { return found.getClass().getMethod(method, new Class[0]).invoke(found, new Object[0]); }
        catch (NoSuchMethodException error) { return null; }
        catch (Exception error) { throw new IllegalStateException("colgraph plan: " + method, error); }
    }

    /** An instance of a case class by its first values; the others are its defaults, or nothing. */
    static Object instance(Class kind, Object[] first) throws Exception {
        Constructor constructor = kind.getConstructors()[0];
        Object[] values = new Object[constructor.getParameterTypes().length];
        for (int i = 0; i < values.length; i++) {
            values[i] = i < first.length ? first[i] : standard(kind, i);
        }
        return constructor.newInstance(values);
    }

    private static Object standard(Class kind, int place) throws Exception {
        try { return kind.getMethod("$lessinit$greater$default$" + (place + 1), new Class[0]).invoke(null, new Object[0]); }
        catch (NoSuchMethodException error) { return scala.None$.MODULE$; }
    }

    /** A field that is not public. */
    static Object field(Object found, String name) {
        try {
            Field field = found.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(found);
        } catch (Exception error) { throw new IllegalStateException("colgraph plan: " + name, error); }
    }
}
