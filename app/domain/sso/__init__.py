"""Single sign-on: identity providers and signing in through them."""
