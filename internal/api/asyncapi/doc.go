// Package asyncapi writes the AsyncAPI 3 document of the NATS subjects that programs
// outside may rely on: docs/asyncapi.json.
//
// Nothing in it is written down a second time. Addresses come from [bus.Subjects],
// operations from the table of package api, payloads from the Go types that are put on
// the wire; only what fields mean is said here, in vocabulary.go.
//
// It promises that every operation and every subject of the outside contract is in the
// document, which its tests hold it to, and that real messages fit their payloads, which
// those of package e2e do.
//
// It does not describe what processes of Helve say to each other, nor the bodies of
// operations beyond their parameters: those are the same as over HTTP.
package asyncapi
