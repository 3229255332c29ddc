// Package accounts has the operations on services: their stored entries, and the accounts that
// people connect.
//
// It promises that a change is on the audit trail, without values, before it takes effect, that
// the tokens of an account are revoked or named as left before its entry is deleted, and that an
// agent connects no account of its person. It knows no protocol of a provider and no page.
package accounts
