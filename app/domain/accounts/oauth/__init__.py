"""OAuth 2.1: applications, what people allow them, and the tokens that they get for it."""
