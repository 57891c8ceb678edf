"""Rows and folds broken on purpose, one at a time, and which judge notices."""
