"""One framework, another release: what has to change in a file, and the characters that say so."""
