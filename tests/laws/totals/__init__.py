"""The totals that a conversion preserves, computed apart from rftconf on either side."""
