"""Files that callers send by themselves, before a change of content or an import uses them."""
