// Package faults kills, stops and fails the real programs in the middle of
// calls and looks at what is left: for every call one stored result, and never
// a second effect.
//
// Its tests build cmd/dispatcher and cmd/worker with the tag "failpoint", run
// them against a NATS server on loopback, and speak to them as PROTOCOL.md
// says, over HTTP and NATS, with nothing of this repository in between. The
// truth is what anybody could read: the stored results on
// helve.v1.<tenant>.result.>, and the ledger that debug.effect writes to.
//
// Waits are on conditions, with a generous deadline; no test asserts how long
// something takes. What a process wrote is shown when its test fails. The
// package tests one NATS server: what a cluster adds is not covered. It needs
// Linux and is skipped by -short.
package faults
