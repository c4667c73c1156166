"""SAML 2.0, web browser single sign-on, the side that asks: requests, metadata, and checking what comes back.

Knows the protocol and nothing of people or organizations. `certificates` and `answers` load lxml, signxml
and cryptography, which only signing in needs: import them where they are used.
"""
