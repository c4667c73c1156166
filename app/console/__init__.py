"""The console, in which people work with Docyard in a browser (README.md beside this file)."""
