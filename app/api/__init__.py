"""The API: the rows of its operations, and the engines that answer them over REST and GraphQL."""
