"""The interface elements that integrations render (ContentKit)."""
