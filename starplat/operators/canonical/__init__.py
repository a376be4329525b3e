"""One form for all spellings of a program: rewrites of the checked tree, each proved before it is made."""
