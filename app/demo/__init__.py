"""The content of `docyard serve --demo`: people and Docyard's own guide, added to an empty database."""
