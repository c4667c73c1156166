"""The database: tables, statements and lists on SQLite and PostgreSQL alike."""
