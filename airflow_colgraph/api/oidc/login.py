"""The login of an app: its routes, and who may do what."""

from __future__ import annotations

from fastapi import FastAPI

from airflow_colgraph.api.access import Authorize
from airflow_colgraph.api.oidc.authorization import require_login
from airflow_colgraph.api.oidc.provider import Provider
from airflow_colgraph.api.oidc.routes import LoginRoutes
from airflow_colgraph.api.oidc.settings import Settings
from airflow_colgraph.store.store import Store


class Login:
    """Login with the provider of the settings, beside what `keys` accepts."""

    def __init__(self, store: Store, settings: Settings, keys: Authorize) -> None:
        """The provider is first asked when somebody logs in."""
        self._store, self._provider = store, Provider(settings)
        self.authorize = require_login(store, self._provider, keys)

    def add_to(self, app: FastAPI) -> None:
        """Add the routes to the app of `create_app`, and tell its page."""
        app.include_router(LoginRoutes(self._store, self._provider).router())
        app.state.has_login = True
