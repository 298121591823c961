"""The page: the built files of `ui/`, served beside the REST API."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Response
from starlette.responses import FileResponse, HTMLResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

DIST = Path(__file__).parents[1] / "ui" / "dist"
MISSING = "The web UI is not built: run `make ui` in a checkout, or install the wheel.\n"
LOGIN = '<meta name="colgraph-login" content="auth">'  # tells the page that people may log in
FRESH = {"Cache-Control": "no-cache"}


class Assets(StaticFiles):
    """Files whose names carry a hash of their content, so browsers may cache them for ever."""

    async def check_config(self) -> None:
        """A directory that is not there (yet) is an empty one."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def add_page(app: FastAPI, dist: Path = DIST) -> None:
    """Serve the page at the app's root; if it is not built, 503 and how to build it."""
    index = dist / "index.html"

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        """The page, or how to build it."""
        if not index.is_file():
            return Response(MISSING, 503, media_type="text/plain")
        if getattr(app.state, "has_login", False):
            text = index.read_text(encoding="utf-8").replace("</head>", f"{LOGIN}</head>")
            return HTMLResponse(text, headers=FRESH)
        return FileResponse(index, headers=FRESH)

    app.mount("/assets", Assets(directory=dist / "assets", check_dir=False), name="assets")
