// Package apitools makes tools of the operations of OpenAPI documents that an operator
// configured, and executes calls of them.
//
// # The way of a tool, and of a call
//
//	file       Read: documents by name; an invalid item does not affect the others
//	document   package apidoc: operations, with schemas that are safe
//	offer      an operation as a tool: name, parameters, risk
//	approvals  helve_upstream: which definitions may be offered, the same for all workers
//	Pool       the tools of all documents as the worker offers them, and what is withheld
//	call       behind the whole pipeline: arguments to a request, credentials, the answer
//
// # What it promises
//
// A document decides nothing that an operator has set, and is never read from anywhere but
// its file. A refused document offers nothing new, and the others are offered. A definition
// that changed after it was accepted is withheld, on every worker, until an operator accepts
// exactly that one. Credentials of a service are sent only to an origin that an operator has
// set, and occur in no argument, answer, error or redirect. A call that changes something is
// sent once; only a request that was refused with 401 is sent again, with a new token.
// Requests and answers are bounded.
//
// # What it does not promise
//
// That an API does what its document says. That arguments are all that the API accepts:
// what a schema cannot say, the API refuses. Parameters in cookies, XML bodies and webhooks
// are not supported.
package apitools
