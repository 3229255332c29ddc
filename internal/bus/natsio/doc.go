// Package natsio is the connection of one process to NATS and the primitives on it that
// packages with messages of their own share: acknowledged writes, reads of what was
// acknowledged, replies, key-value buckets, leases, walks along a stream, consumers that
// several processes share, and streams that are made or changed.
//
// It promises that a write returns nil only when JetStream has acknowledged it; that a
// read returns what was acknowledged, also in a cluster, where a follower could return an
// older state; and that waits end when the connection is closed. It knows neither calls
// nor consents nor the audit trail.
//
// It does not promise that a write without an acknowledgement was not stored.
package natsio
