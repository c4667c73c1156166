"""Pages of documentation as one well-set PDF: a book is written down as data, and typst sets it."""
