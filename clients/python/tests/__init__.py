"""Tests of the package, with the standard library only (docs/testing.md of the repository).

``HELVE`` names the program that the tests of the contract start. ``virtual`` is a network with a
clock of its own, ``far`` a server on loopback that a test scripts.
"""
