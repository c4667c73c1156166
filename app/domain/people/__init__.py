"""Who there is: organizations, members, teams; how people come in and sign in, and what they were granted."""
