"""HTTP endpoints beside the API and the sites: files, sign-in, integrations, pages for browsers."""
