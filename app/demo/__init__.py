"""What `docyard serve --demo` puts into an empty database: a cast of people, and Docyard's own guide."""
