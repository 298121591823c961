"""Where events are written, and how they are read back."""
