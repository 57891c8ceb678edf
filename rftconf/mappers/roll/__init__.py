"""ROLL's table: rows by topic, folds where keys only make sense together, reasons for the rest."""
