"""Git repositories, read and written without a working copy and without the `git` program."""
