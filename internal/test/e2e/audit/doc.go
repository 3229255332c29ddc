// Package audit tests what an operator and an auditor see on whole systems: the audit trail,
// what a running system reports, and the documents of its interfaces.
//
// It promises that each call is on record, that the records can be queried, followed and
// exported, and that a changed or lost record, index or seal is found. Events, metrics, logs,
// traces and health describe a running system and show no arguments and no results. The
// answers of each operation match openapi.json, the messages on NATS match asyncapi.json, and
// the NATS micro service offers the operations.
package audit
