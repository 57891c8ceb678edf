"""OpenRLHF's table: keys of PPO runs by topic, folds where keys only make sense together, reasons for the rest."""
