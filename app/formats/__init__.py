"""Pure values of documentation: no database, no framework."""
