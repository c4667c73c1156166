"""Content in print: which pages, how they are set, and where the document is fetched."""
