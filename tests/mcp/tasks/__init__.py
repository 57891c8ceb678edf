"""Fifty tasks as people put them to agents, each with the calls that solve it and an outcome that can be checked."""
