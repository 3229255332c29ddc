"""A stand-in for the package langchain-core."""
