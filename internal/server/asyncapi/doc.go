// Package asyncapi generates the AsyncAPI 3 document of the public NATS subjects:
// docs/asyncapi.json.
//
// Nothing in it is written down twice. Addresses come from [queue.Subjects], operations
// from the table of package api, payloads from the Go types that are sent; only the
// meanings of fields are described here, in vocabulary.go.
//
// It promises that every operation and every public subject is in the document, which
// its tests check, and that real messages match their payloads, which the tests of
// package e2e/audit check.
//
// It does not describe messages between Helve's processes, nor the bodies of operations
// beyond their parameters: those are the same as over HTTP.
package asyncapi
