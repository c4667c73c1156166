"""A folder or zip of Markdown read as a plan of pages and files, and pages written back as that tree."""
