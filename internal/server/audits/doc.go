// Package audits is a dispatcher's part of the audit trail: it seals records while it holds the
// lease, copies them into the index, and answers queries, exports and verifications.
//
// It promises that one dispatcher seals at a time, that a query returns every record that was
// stored before it or reports that some are missing, and that a record of the index that differs
// from its seal is named. It writes no records about calls and removes none from the trail.
package audits
