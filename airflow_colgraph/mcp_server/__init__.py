"""The store's questions as tools for agents, over the Model Context Protocol."""
