// Package console tests the console on whole systems: by direct requests what a browser meets
// on a dispatcher, which are the pages, signing in and out, sessions between dispatchers, and
// the operations that only the console needs; and in a real browser its pages.
//
// It promises that a session has exactly the rights of its credential, and that no page of
// another site can use one. What a person does on the pages has its effect: a decision, a
// tool that is found and tried, a pool that is paused. No secret is shown, errors are at
// their fields, and what others write is shown as text. The pages can be used by keyboard, on
// a phone and with a screen reader.
//
// TestPictures compares pictures of the console, on a system with calls of the built-in
// tools, with those in docs/images, which the README shows. They are made again by
//
//	go test ./internal/test/e2e/console -run TestPictures -update
//
// It promises that a page which looks different to a person fails: another colour, a part
// that moved, a theme that does not apply. It does not promise that each letter is the same:
// times and ids differ from run to run, and fonts from machine to machine.
package console
