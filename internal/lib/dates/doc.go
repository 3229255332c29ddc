// Package dates parses, shifts and formats dates as people write them.
//
// Parsing accepts ISO 8601, RFC 3339, RFC 9557, Unix times and common forms, and
// refuses ambiguous ones. Shifting respects month ends, leap years and the clock of a
// time zone. The time zone database is linked in, so results do not depend on the host.
// Languages other than English are not supported.
package dates
