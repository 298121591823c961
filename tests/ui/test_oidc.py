"""A login in a real browser: the server, a provider over HTTP, and the page between them."""

from pathlib import Path

import pytest

from tests.api.oidc_provider import SECRET, provider_at
from tests.api.test_oidc import SETTINGS, URL
from tests.cli.test_serve import free_port, serving
from tests.ui.conftest import Browse

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]


def test_a_login_in_a_browser(tmp_path: Path, store_url: str, browse: Browse) -> None:
    port = free_port()
    page = f"http://127.0.0.1:{port}"
    (tmp_path / "secret").write_text(SECRET)
    file = tmp_path / "oidc.toml"
    with provider_at(f"{page}/auth/callback") as provider:
        file.write_text(SETTINGS.format(issuer=provider.issuer).replace(URL, page))
        options = ("--oidc", str(file), "--log-level", "debug")
        with serving(store_url, *options, port=port) as (address, server):
            tests = browse("oidc.mjs", COLGRAPH_ADDRESS=address, PROVIDER=provider.issuer)
            server.terminate()
            log = server.stderr.read() if server.stderr else ""
    assert tests == 3
    assert "login:anna@example.org logged in" in log
    assert [secret for secret in (SECRET, *provider.issued) if secret in log] == []
    assert len(provider.issued) >= 9
