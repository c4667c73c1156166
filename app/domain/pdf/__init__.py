"""PDF exports: the pages they hold, how they are typeset, and the addresses where they are fetched."""
