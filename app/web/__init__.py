"""What is answered beside the API and the sites: files, sign-in, integrations, pages for browsers."""
