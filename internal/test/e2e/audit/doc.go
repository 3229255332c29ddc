// Package audit tests the audit trail, on whole systems.
//
// It promises that each call is on record, the records can be queried, followed and exported, and that a
// changed or lost record, index or seal is found.
package audit
