"""The GraphQL face: Strawberry types over the shapes of the wire, the same domain functions as REST."""
