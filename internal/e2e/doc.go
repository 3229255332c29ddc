// Package e2e tests Helve from outside: a real NATS server, dispatchers and
// workers run as they do in production, and the tests are clients that know
// the protocol and nothing else.
//
// It promises that what the protocol says of calls, results, events, agents,
// tenants, back-pressure and bad input holds over HTTP and over NATS. It does
// not kill processes or lose connections: that is internal/faults.
package e2e
