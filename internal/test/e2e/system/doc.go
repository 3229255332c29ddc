// Package system is the test bench of internal/test/e2e: a real NATS server, dispatchers and
// workers as in production, and clients that use only the protocol.
//
// It promises that each wait has a deadline, testtime.Patience, and that a wait which
// reaches it fails its test with a sentence that names what did not happen. Nothing outside
// internal/test/e2e imports it.
package system
