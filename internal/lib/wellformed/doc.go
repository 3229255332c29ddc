// Package wellformed checks the form of single values: mail addresses, URLs, IBANs,
// cards, phone numbers, UUIDs, IP addresses, Turkish identity numbers.
//
// Each check returns "" or a reason for people. It checks that a value can exist, not
// that it does; nothing is looked up.
package wellformed
