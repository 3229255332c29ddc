// Package pins is which definitions of MCP servers' tools may be offered: what workers
// saw, and what operators accepted.
//
// It promises that a definition is offered only where its very hash was accepted, by an
// operator or by being the first one seen, and that no two workers pin a tool twice. As
// long as any worker sees a definition that was not accepted the tool is withheld, on all
// of them. Whoever accepts names the hash they saw; another one that came since stays out.
//
// Several accepted definitions may be offered at once, since workers do not all change
// their servers in one moment.
package pins
