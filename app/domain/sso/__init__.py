"""Single sign-on: identity providers, signing in through them, and sessions."""
