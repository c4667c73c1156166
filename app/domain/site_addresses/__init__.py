"""The addresses of sites and of the spaces they publish."""
