// Package consolefleet tests the console's pages for operators and auditors in a real
// browser, on whole systems: fleet, check, audit, remembered answers, services, dead letters
// and policy.
//
// It promises that what is done on these pages has its effect, that no secret is shown, that
// what others write is shown as text, and that the pages can be used by keyboard, on a phone
// and with a screen reader. Pages of other areas have tests of their own.
package consolefleet
