// Package contract tests the documents of the interfaces, on whole systems.
//
// It promises that the answers of each operation match openapi.json, the messages on NATS match
// asyncapi.json, and that the NATS micro service offers the operations.
package contract
