"""Java and Scala values as Python ones. What is known of py4j is in this file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

Java = Any
"""An object in the JVM: py4j's proxies have no types."""


def seq(items: Java) -> Iterator[Java]:
    """The items of a Scala Seq or a Java List."""
    return (items.apply(index) for index in range(items.size()))


def option(value: Java) -> Java | None:
    """What a Scala Option holds, or None."""
    return value.get() if value.isDefined() else None


def class_name(instance: Java) -> str:
    """The class with its package: `org.apache.spark.sql.execution.datasources.HadoopFsRelation`."""
    return str(instance.getClass().getName())


def short_class_name(instance: Java) -> str:
    """The class without its package and without Scala's `$`."""
    return class_name(instance).rstrip("$").rsplit(".", 1)[-1].rsplit("$", 1)[-1]


def loaded_class(instance: Java, name: str) -> Java:
    """The `java.lang.Class` of a name, as the class loader of an object of Spark's has it."""
    return instance.getClass().getClassLoader().loadClass(name)


def java_class(instance: Java, name: str) -> Java:
    """The class `name`, to be called for a new object of it."""
    from py4j.java_gateway import JavaClass  # type: ignore[import-untyped,unused-ignore]

    return JavaClass(name, instance._gateway_client)


def weak(instance: Java) -> Java:
    """A `java.lang.ref.WeakReference`: what Python holds of an object, the JVM would never free."""
    return java_class(instance, "java.lang.ref.WeakReference")(instance)


def scala_map(scala: Java) -> dict[str, str]:
    """A Scala Map of strings."""
    pairs = scala.toSeq()
    return {str(pair._1()): str(pair._2()) for pair in seq(pairs)}


def scala_object(instance: Java, name: str) -> Java:
    """The Scala object `name`, as the class loader of an object of Spark's has it."""
    return loaded_class(instance, f"{name}$").getField("MODULE$").get(None)


def context_loader(instance: Java) -> Java:
    """The class loader that has what `spark.jars` and packages have added."""
    return java_class(instance, "java.lang.Thread").currentThread().getContextClassLoader()


def private(instance: Java, name: str) -> Java:
    """What a private field of an object holds, where there is no method for it."""
    field = instance.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(instance)


def private_of(instance: Java, *names: str) -> Java:
    """The value of the private field whose name ends with one of these, or None.

    A field of a superclass is found, too. Scala prefixes the names of some fields with their class.
    """
    kind = instance.getClass()
    while kind is not None:
        for field in kind.getDeclaredFields():
            if str(field.getName()).endswith(names):
                field.setAccessible(True)
                return field.get(instance)
        kind = kind.getSuperclass()
    return None


def thrown() -> tuple[type[Exception], ...]:
    """What a call raises when the JVM threw: pyspark has classes of its own for what Spark throws.

    The process of a jar job has no pyspark; before 3.4 they were in `pyspark.sql.utils`.
    """
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped,unused-ignore]

    modules = ("pyspark.errors.exceptions.captured", "pyspark.sql.utils")
    classes = [getattr(sys.modules.get(name), "CapturedException", None) for name in modules]
    return (Py4JJavaError, *(kind for kind in classes if kind is not None))


def descend(node: Java, path: tuple[int, ...]) -> Java:
    """The Java node, or expression, at the end of `path`: a position among children each."""
    for index in path:
        node = node.children().apply(index)
    return node


def give_back(*objects: Java) -> None:
    """Let the JVM forget objects that are not used any more.

    A proxy of py4j's refers to itself once it was asked something, so it lives until Python looks
    for such circles: till then a finished query would keep its plans and broadcasts in the heap.
    """
    for proxy in objects:
        proxy._detach()
