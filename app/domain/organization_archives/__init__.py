"""Archives of organizations: all that belongs to one, in a file that another installation imports."""
