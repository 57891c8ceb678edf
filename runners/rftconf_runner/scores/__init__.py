"""Rewards by rule as the frameworks have them: the same number for the same answer, in code of our own."""
