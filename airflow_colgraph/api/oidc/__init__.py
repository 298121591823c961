"""Login by OpenID Connect: who a browser, or the bearer of a provider's token, is and may do."""
