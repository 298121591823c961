"""Administration: retention, moving a store between databases, API keys."""
