// Package consolelooks takes pictures of the console in a real browser, on a system with
// calls of the built-in tools, and compares them with those in docs/images, which the README
// shows. They are made again by
//
//	go test ./internal/test/e2e/consolelooks -update
//
// It promises that a page which looks different to a person fails: another colour, a part
// that moved, a theme that does not apply. It does not promise that each letter is the same:
// times and ids differ from run to run, and fonts from machine to machine.
package consolelooks
