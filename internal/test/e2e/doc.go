// Package e2e is the tree of the tests that need a whole system: a real NATS server,
// dispatchers and workers run as they do in production, and the tests are clients that use
// only the protocol. Each folder tests one subject, over package system.
//
// It promises that the rules of the protocol hold over HTTP and over NATS. It does not kill
// processes or lose connections: that is internal/test/faults.
package e2e
