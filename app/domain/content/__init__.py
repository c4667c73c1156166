"""What a space, a change request or a revision holds, as it is read and found."""
