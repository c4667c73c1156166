"""The verbs: what the product knows lives here, one file per noun."""
