// Package protocol holds the types of every message that Helve exchanges with clients
// and remote workers: requests and answers of the operations over HTTP and NATS, result
// elements, events, consents, audit records, tool definitions and registrations of
// remote processes.
//
// The tag `doc` of a field is its description. The OpenAPI and AsyncAPI documents and
// the field tables of docs/fields.md are generated from these types and tags. The
// server reads and writes the same types, and package client returns them to its
// callers.
//
// The package promises that encoding/json encodes each type as the protocol defines it,
// and that within version 1 no field is removed or changes its meaning. It validates
// nothing and imports only the standard library. Readers ignore fields that they do not
// know.
package protocol
