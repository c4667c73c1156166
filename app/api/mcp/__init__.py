"""The operations for agents: an MCP server for authors, whose tools are rows of operations."""
