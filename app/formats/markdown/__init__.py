"""The structural Markdown dialect: bodies as documents of blocks, inlines and marks, and back."""
