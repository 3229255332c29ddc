// Package approvals stores which definitions of tools of MCP servers and API documents may
// be offered: those that workers saw, and those that operators accepted.
//
// It promises that a definition is offered only if its exact hash was accepted, by an
// operator or by being the first one seen, and that no two workers accept different first
// definitions. While any worker sees a definition that was not accepted, the tool is
// withheld on all workers. An operator names the hash to accept; a newer definition is
// not accepted by that.
//
// Several accepted definitions may be offered concurrently, since workers do not all
// update their servers at the same moment.
package approvals
