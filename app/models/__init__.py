"""Tables, and the shapes that callers send and get: one file per noun, loaded when it is needed."""
