"""Real Airflows with the users of ROLES, by auth manager, over a store with the LOG."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from airflow_colgraph.store.store import Store
from dev.demo_airflow import Airflow
from dev.waiting import wait_for
from tests.ui.roles import EVERY_DAG, LOG, ROLES

DAGS = Path(__file__).parents[1] / "airflow" / "dags"
PATH = "/team"  # below which Airflow answers, as behind a proxy
WITHOUT_RUNS = ("api-server", "dag-processor")
USERS = "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS"
CACHE_SECONDS = 3  # for which FAB takes a user for known
FAB = "airflow.providers.fab.auth_manager.fab_auth_manager.FabAuthManager"
DAG_IDS = {dag for dag in EVERY_DAG if dag}
LOCAL = "airflow.dag_processing.bundles.local.LocalDagBundle"


@contextmanager
def deployment(manager: str, home: Path) -> Iterator[Airflow]:
    """An Airflow whose users are those of ROLES[manager], once it has found every DAG."""
    store = Store.open(store_url(home))
    store.add(LOG)
    store.close()
    variables = {"COLGRAPH_STORE": store_url(home), "CASES_HOME": str(home)}
    with AIRFLOWS[manager](home, variables) as airflow:
        airflow.start()
        wait_for(lambda: _missing_dags(airflow))
        if manager == "FAB":
            add_fab_users(airflow)
        yield airflow


def store_url(home: Path) -> str:
    """The store of the Airflow in a folder."""
    return f"sqlite:///{home}/store.db"


def token_of(airflow: Airflow, user: str) -> str:
    """What a user gets who logs in: by the password file, or with the administrator's in FAB."""
    passwords = json.loads((airflow.home / "passwords.json").read_text())
    return airflow.log_in(user, passwords.get(user, airflow.password))


def _missing_dags(airflow: Airflow) -> str:
    found = {dag["dag_id"] for dag in airflow.ask("GET", "/api/v2/dags")["dags"]}
    return ", ".join(sorted(DAG_IDS - found))


def _simple(home: Path, variables: Mapping[str, str]) -> Airflow:
    users = ",".join(f"{user}:{user}" for user in ROLES["simple"])
    return Airflow(home / "airflow", DAGS, {**variables, USERS: users}, path=PATH)


def _with_teams(home: Path, variables: Mapping[str, str]) -> Airflow:
    """Each DAG is a team's, as the default auth manager knows nothing smaller than a team."""
    teams = sorted(DAG_IDS)
    for team in teams:
        (home / team).mkdir()
        shutil.copy(DAGS / f"{team}.py", home / team)
    bundles = [
        {"name": team, "classpath": LOCAL, "kwargs": {"path": str(home / team)}, "team_name": team}
        for team in teams
    ]
    users = ["admin:admin", "none:viewer", *(f"{team}:viewer:{team}" for team in teams)]
    more = {
        USERS: ",".join(users),
        "AIRFLOW__CORE__MULTI_TEAM": "True",
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps(bundles),
    }
    return Airflow(
        home / "airflow",
        DAGS,
        {**variables, **more},
        path=PATH,
        programs=WITHOUT_RUNS,
        commands=[("teams", "create", team) for team in teams],
    )


def _fab(home: Path, variables: Mapping[str, str]) -> Airflow:
    airflow = Airflow(
        home / "airflow",
        DAGS,
        {
            "AIRFLOW__CORE__AUTH_MANAGER": FAB,
            "AIRFLOW__FAB__CACHE_TTL": str(CACHE_SECONDS),
            **variables,
        },
        path=PATH,
        programs=WITHOUT_RUNS,
    )
    names = ("-f", "A", "-l", "B", "-e", "admin@example.org")
    login = ("-u", airflow.user, f"--password={airflow.password}", "-r", "Admin")
    airflow.commands.append(("users", "create", *login, *names))
    return airflow


def _fab_with_a_public_role(home: Path, variables: Mapping[str, str]) -> Airflow:
    return _fab(home, {**variables, "AIRFLOW__FAB__AUTH_ROLE_PUBLIC": "Viewer"})


def add_fab_users(airflow: Airflow) -> None:
    """The other users of ROLES["FAB"]; each of those with one DAG has a role for just that."""
    for user, dags in ROLES["FAB"].items():
        role = user.capitalize()
        if dags != EVERY_DAG:
            can_read = [
                {"action": {"name": "can_read"}, "resource": {"name": f"DAG:{dag}"}} for dag in dags
            ]
            airflow.ask("POST", "/auth/fab/v1/roles", {"name": role, "actions": can_read})
        if user != airflow.user:
            add_fab_user(airflow, user, role)


def add_fab_user(airflow: Airflow, user: str, role: str) -> None:
    """A user with the administrator's password."""
    names = {"username": user, "email": f"{user}@example.org", "first_name": "A", "last_name": "B"}
    body = {**names, "password": airflow.password, "roles": [{"name": role}]}
    airflow.ask("POST", "/auth/fab/v1/users", body)


AIRFLOWS = {
    "simple": _simple,
    "simple with teams": _with_teams,
    "FAB": _fab,
    "FAB with a public role": _fab_with_a_public_role,
}
