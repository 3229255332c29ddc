// Package faults kills, stops and fails the real programs in the middle of calls and checks
// the state afterwards: for every call one stored result, and never a second effect.
//
// Its tests build cmd/dispatcher and cmd/worker with the tag "failpoint", run them against
// a NATS server on loopback, and use the protocol of docs/protocol.md, over HTTP and NATS,
// without other code of this repository. They check what any client could read: the stored
// results on helve.v1.<tenant>.result.>, and the ledger that debug.effect writes.
//
// Waits are on conditions, with a generous deadline; no test asserts how long something
// takes. The output of a process is shown when its test fails. Most tests have one NATS
// server; cluster_test.go has three, whose links can be cut. It needs Linux and is skipped by
// -short.
package faults
