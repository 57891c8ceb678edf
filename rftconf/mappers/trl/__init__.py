"""TRL's table: GRPO's keys by topic, folds where keys only make sense together, reasons for the rest."""
