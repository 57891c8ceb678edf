"""Runs with small numbers of their own, worked out by hand from the frameworks' code: what a plan holds, and what is written."""
