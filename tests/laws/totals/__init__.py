"""The totals that a conversion preserves (MAPPING §13, invariants), computed apart from rftconf on either side."""
