"""Discussion where the text is: comments, replies, reactions, mentions."""
