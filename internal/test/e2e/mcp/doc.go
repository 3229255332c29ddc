// Package mcp tests the MCP server of a dispatcher and helve mcp, on whole systems.
//
// It promises that every supported version of the protocol can list, call, ask, cancel and follow a task, and
// that malformed requests are answered in its terms.
package mcp
