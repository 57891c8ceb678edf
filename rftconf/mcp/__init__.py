"""This room gives agents the verbs as tools, over the Model Context Protocol; only `rftconf mcp` imports it."""
