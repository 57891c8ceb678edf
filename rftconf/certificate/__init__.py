"""What a conversion claims about itself, as a file that anyone can check again."""
