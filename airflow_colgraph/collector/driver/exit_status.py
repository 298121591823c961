"""How the application's process ends: the exit code, or the exception, that Python exposes nowhere.

Imported when Python starts, before the application: what only the end needs is imported there, or
in `prepare`.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

NORMAL_ENDS = {"RETURN_VALUE", "RETURN_CONST"}


class ExitStatus:
    """What the main thread passed to `sys.exit`, and whether the main module was left by it."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self._code: Any = None
        self._main: FrameType | None = None

    def follow(self) -> None:
        """Remember what `sys.exit`, `exit` and `quit` are called with."""
        import builtins
        from _thread import get_ident

        from airflow_colgraph.collector.driver.method_hooks import named_as

        main = get_ident()

        def remember(status: Any) -> None:
            if get_ident() == main:  # elsewhere it only ends the thread
                self._code = status

        original = sys.exit

        def exit(status: Any = None, /) -> None:
            remember(status)
            original(status)

        sys.exit = named_as(original, exit)

        quitter: Any = type(getattr(builtins, "exit", None))
        if quitter.__name__ == "Quitter":  # exit() and quit()
            call = quitter.__call__

            def __call__(self: Any, code: Any = None) -> None:
                remember(code)
                call(self, code)

            quitter.__call__ = named_as(call, __call__)

    def prepare(self) -> None:
        """Note the main module's frame, and import what `outcome` needs.

        At the end importing would be too late: it makes Python forget that Ctrl-C ended the
        process.
        """
        import opcode  # noqa: F401
        import traceback  # noqa: F401

        self._main = _main_frame()

    def outcome(self) -> tuple[bool, str]:
        """Whether the application failed, and why.

        `raise SystemExit(n)`, without `sys.exit`, shows its code to nobody in the process: it
        counts as success here, and who waits for the process knows better.
        """
        if not _was_left_by_an_exception(self._main):
            return False, ""
        error = getattr(sys, "last_value", None)
        if error is not None:
            import traceback

            described = traceback.format_exception_only(type(error), error)[-1]
            return True, described.strip().split("\n")[0]
        if self._code in (None, 0):
            return False, ""
        code = self._code if isinstance(self._code, int) else 1
        return True, f"exit code {code}"


def _main_frame() -> FrameType | None:
    """Where the application's main module is being run."""
    import threading

    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _was_left_by_an_exception(frame: FrameType | None) -> bool:
    """Whether the last thing that `frame` did was anything but to return."""
    if frame is None or frame.f_lasti < 0:
        return False
    from opcode import opname

    return opname[frame.f_code.co_code[frame.f_lasti]] not in NORMAL_ENDS
