// Package changes records what operators and people change, on the audit trail: agents' tool sets,
// custom tools, and sessions of the console.
//
// It promises that a change is recorded before it takes effect, and not made if its record cannot
// be written. It does not check whether the caller may make it.
package changes
