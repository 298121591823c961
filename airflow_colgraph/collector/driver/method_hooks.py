"""Methods of other people's classes that call us before or after they run, and look the same."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import update_wrapper
from typing import Any

Act = Callable[[Any], object]


def before(owner: type, name: str, act: Act) -> None:
    """Let `act` be called with the object before each call of a method."""
    original = vars(owner)[name]

    def called(own: Any, /, *arguments: Any, **options: Any) -> Any:
        act(own)
        return original(own, *arguments, **options)

    setattr(owner, name, named_as(original, called))


def after(owner: type, name: str, act: Act) -> None:
    """Let `act` be called with the object after each call of a method."""
    original = vars(owner)[name]

    def called(own: Any, /, *arguments: Any, **options: Any) -> Any:
        answer = original(own, *arguments, **options)
        act(own)
        return answer

    _replace(owner, name, original, called)


def with_result(owner: type, name: str, act: Callable[..., object]) -> None:
    """Let `act(object, arguments, options, answer)` be called after each call of a method."""
    original = vars(owner)[name]

    def called(own: Any, /, *arguments: Any, **options: Any) -> Any:
        answer = original(own, *arguments, **options)
        act(own, arguments, options, answer)
        return answer

    _replace(owner, name, original, called)


def around(
    owner: type, name: str, first: str, watch: Callable[[Any, Any], AbstractContextManager[object]]
) -> None:
    """Let each call of a method run within `watch(object, argument)`: `first`, its first one."""
    original = vars(owner)[name]

    def called(own: Any, /, *arguments: Any, **options: Any) -> Any:
        with watch(own, arguments[0] if arguments else options.get(first)):
            return original(own, *arguments, **options)

    _replace(owner, name, original, called)


def _replace(owner: type, name: str, original: Any, called: Any) -> None:
    """Put `called` in a method's place.

    Spark names a job by the line outside pyspark's files that called into them, so the wrapper's
    code gets the file name of the method that it wraps.
    """
    file = original.__code__.co_filename
    called.__code__ = called.__code__.replace(co_filename=file, co_name=name)
    setattr(owner, name, named_as(original, called))


def named_as(original: Any, replacement: Any) -> Any:
    """`replacement` as it is seen in `help`, in tracebacks and by pickle."""
    return update_wrapper(replacement, original)
