"""Published sites as visitors read them: found by an address, admitted, searched."""
