// Package server has the operations of Helve and their doors: HTTP, NATS, MCP, the documents
// that describe them, the sign-in of people and the console.
//
// It promises the contract of docs/protocol.md at each door. It runs no tool: operations belong to
// the dispatcher, and any dispatcher answers them alike.
package server
