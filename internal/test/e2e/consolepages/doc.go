// Package consolepages tests the inbox, the calls and the frame of the console in a real
// browser, on whole systems.
//
// It promises that what a person does on these pages has its effect, that what others write
// is shown as text, and that the pages can be used by keyboard, on a phone and with a screen
// reader. Pages of other areas have tests of their own.
package consolepages
