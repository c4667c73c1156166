"""How content is written: a batch becomes a draft, the draft the next revision of its line."""
