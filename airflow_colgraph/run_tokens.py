"""Short-lived tokens that allow the events of one run only.

    key = new_key()                    a worker's secret; the store has public_key(key)
    token = sign(key, scope, 3600)     for one run, handed to its Spark driver
    scope = verified(token, is_known)  on the server; scope.refusal(event) says what it allows

A token is a JWT signed with Ed25519: neither the server nor its store can sign one.
"""

from __future__ import annotations

import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PREFIX = "colgraph_sign_"
AUDIENCE = "colgraph"
ALGORITHM = "EdDSA"
LEEWAY = 60  # seconds that the clocks of two machines may differ
LENGTH = 32  # bytes of a key
TASK = "colgraph_task"  # the run facet that names an Airflow task instance

Name = tuple[str, ...]


class TokenError(ValueError):
    """A key or a token that is not valid; the message is one line without the secret."""


class RunScope(NamedTuple):
    """The run whose events a token allows.

    `job` is the namespace and name of the job that reports, `run_id` its run; or, with `parent`,
    the namespace and name of the parent's job, the parent's run, as a Spark driver makes the id of
    its own run. `root` is the root's run, and its job's namespace and name. `task` is the Airflow
    task instance that the events may name: DAG, DAG run, task, and map index if it has one.
    """

    job: Name
    run_id: str
    parent: Name = ()
    root: Name = ()
    task: Name = ()

    def refusal(self, event: Any) -> str:
        """Why the event is not of this run, in one line; empty if it is.

        >>> scope = RunScope(("ns", "dag.task.spark"), "r1")
        >>> scope.refusal({"job": {"namespace": "ns", "name": "other"}, "run": {"runId": "r1"}})
        "The token is only for the job 'dag.task.spark' in 'ns'."
        >>> scope.refusal({"job": {"namespace": "ns", "name": "dag.task.spark"}, "run": {}})
        'The token is only for the run r1.'
        """
        run = _object(event, "run")
        facets = _object(run, "facets")
        parent = _object(facets, "parent")
        root = _object(parent, "root")
        if _name(_object(event, "job")) != self.job:
            return f"The token is only for the job {self.job[1]!r} in {self.job[0]!r}."
        reported, by_parent = run.get("runId"), _object(parent, "run").get("runId")
        of_run = by_parent == self.run_id != reported if self.parent else reported == self.run_id
        if not of_run:
            return f"The token is only for the run {self.run_id}."
        if {"airflow", "airflowDagRun"} & facets.keys():
            return "The token is for a Spark job, which is no task of Airflow's."
        of_root = (str(_object(root, "run").get("runId")), *_name(_object(root, "job")))
        if (parent and _name(_object(parent, "job")) != self.parent) or (
            root and of_root != self.root
        ):
            return f"The token is only for the run {self.run_id}: it has another parent or root."
        if TASK in facets and _task(_object(facets, TASK)) != self.task:
            return f"The token is only for the run {self.run_id}: it names another task."
        return ""


def new_key() -> str:
    """A secret that signs tokens."""
    return PREFIX + _encoded(secrets.token_bytes(LENGTH))


def public_key(key: str) -> bytes:
    """What verifies the tokens that the key signs; TokenError if it is no key."""
    return _private(key).public_key().public_bytes_raw()


def sign(key: str, scope: RunScope, seconds: float) -> str:
    """A token for the run that expires after so many seconds; TokenError if `key` is none."""
    import jwt

    private, now = _private(key), time.time()
    claims = {
        "aud": AUDIENCE,
        "iat": int(now),
        "exp": int(now + seconds),
        "sub": scope.run_id,
        "job": scope.job,
        "parent": scope.parent,
        "root": scope.root,
        "task": scope.task,
    }
    headers = {"kid": _encoded(private.public_key().public_bytes_raw())}
    return jwt.encode(claims, private, algorithm=ALGORITHM, headers=headers)


def is_run_token(text: str) -> bool:
    """Whether it has the form of a token, not of an API key."""
    return text.count(".") == 2


def verified(token: str, is_known: Callable[[bytes], bool]) -> RunScope:
    """What the token allows; TokenError if it has expired, or no known key has signed it."""
    import jwt
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        header = jwt.get_unverified_header(token)
    except jwt.InvalidTokenError:
        raise TokenError("It is not a token.") from None
    public = _decoded(str(header.get("kid")))
    if not is_known(public):
        raise TokenError("No key of the store has signed the token, or it was revoked.")
    try:
        claims = jwt.decode(
            token,
            Ed25519PublicKey.from_public_bytes(public),
            algorithms=[ALGORITHM],
            audience=AUDIENCE,
            leeway=LEEWAY,
            options={"require": ["exp", "iat", "sub", "aud", "job", "parent", "root"]},
        )
    except jwt.ExpiredSignatureError:
        raise TokenError("The token has expired.") from None
    except jwt.InvalidTokenError as error:
        raise TokenError(f"The token is not valid: {error}".rstrip(".") + ".") from None
    names = ("job", "parent", "root", "task")
    job, parent, root, task = (tuple(claims.get(name, ())) for name in names)
    return RunScope(job, claims["sub"], parent, root, task)


def _private(key: str) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if not key.startswith(PREFIX):
        raise TokenError(f"The key does not begin with {PREFIX}: `colgraph db key add` makes one.")
    try:
        return Ed25519PrivateKey.from_private_bytes(_decoded(key.removeprefix(PREFIX)))
    except ValueError:
        raise TokenError(
            "The key is not whole: copy it as `colgraph db key add` shows it."
        ) from None


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    try:
        return urlsafe_b64decode(text.encode("ascii") + b"==")
    except ValueError:
        raise TokenError("The token is not valid.") from None


def _object(value: Any, key: str) -> dict[str, Any]:
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def _task(facet: dict[str, Any]) -> Name:
    names = ("dag_id", "run_id", "task_id", "map_index")
    return tuple(str(facet[name]) for name in names if facet.get(name) is not None)


def _name(job: dict[str, Any]) -> Name:
    return str(job.get("namespace")), str(job.get("name"))
