// Package console tests what a browser meets on a dispatcher, by direct requests on whole
// systems: the pages, signing in and out, sessions between dispatchers, and the operations
// that only the console needs.
//
// It promises that a session has exactly the rights of its credential, and that no page of
// another site can use one. It runs no browser.
package console
