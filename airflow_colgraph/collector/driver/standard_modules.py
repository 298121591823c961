"""Imports of the standard library that a job's own modules do not replace.

A script's folder comes first on the path. A job with a script or a module called `http.py` may
never import it itself, and nor may the collector: that would run it, a script even twice.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


def standard_folders() -> list[str]:
    """The folders of the standard library."""
    own = os.path.dirname(os.__file__)
    return [own, *(path for path in sys.path if path.startswith(own) and "lib-dynload" in path)]


class StandardFinder:
    """Finds modules in the standard library before all others, for one thread."""

    def __init__(self) -> None:
        """For the thread that makes it."""
        self._folders = standard_folders()
        self._thread = get_ident()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        """The spec of a top-level module of the standard library; None for any other."""
        if path is not None or get_ident() != self._thread:
            return None
        spec = PathFinder.find_spec(name, self._folders)
        return spec if spec is not None and spec.loader is not None else None


@contextmanager
def standard_modules() -> Iterator[None]:
    """Within it this thread imports the standard library's own modules.

    Afterwards `sys.modules` has none of them under the name of a module that the job has itself:
    the job imports its own, before and after.
    """
    before = set(sys.modules)
    finder = StandardFinder()
    hidden = {name: module for name, module in list(sys.modules.items()) if _replaces(name, module)}
    for name in hidden:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        new = [name for name in list(sys.modules) if name not in before or name in hidden]
        tops = {name.partition(".")[0] for name in new}
        of_the_job = {name for name in tops if _is_hidden(name)}
        for name in new:
            if name.partition(".")[0] in of_the_job:
                del sys.modules[name]
        sys.modules.update(hidden)


def _replaces(name: str, module: ModuleType | None) -> bool:
    """Whether a module of the job's has the name of a standard one."""
    top = name.partition(".")[0]
    if top not in getattr(sys, "stdlib_module_names", ()):  # from Python 3.10 on
        return False
    file = getattr(module, "__file__", None)  # None for those that are built in
    return bool(file) and not any(str(file).startswith(each) for each in standard_folders())


def _is_hidden(name: str) -> bool:
    """Whether the job's path has another module of this name than the standard library."""
    standard = PathFinder.find_spec(name, standard_folders())
    other = PathFinder.find_spec(name)
    return standard is not None and other is not None and other.origin != standard.origin
