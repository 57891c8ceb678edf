"""The claims of a conversion about itself, as a file that anyone can check again."""
