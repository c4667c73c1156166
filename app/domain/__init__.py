"""The operations of the product: a package per part of it, a module per noun."""
