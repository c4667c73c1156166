"""The verbs: what the product knows lives here, a folder per part of it, a file per noun."""
