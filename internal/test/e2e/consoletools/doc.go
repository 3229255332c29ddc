// Package consoletools tests the console's pages about tools in a real browser, on whole
// systems.
//
// It promises that a tool is found and tried as a person does it, that errors are at their
// fields, that what tools say is shown as text, and that the pages can be used by keyboard,
// on a phone and with a screen reader. Pages of other areas have tests of their own.
package consoletools
