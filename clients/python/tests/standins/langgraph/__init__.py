"""A stand-in for the package langgraph."""
