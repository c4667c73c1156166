"""The expression language of conditions and inline expressions: syntax, values, claims, conditions."""
