"""What is stored about a person: exported for them, and anonymized when their account is deleted."""
