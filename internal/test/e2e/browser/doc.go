// Package browser drives a real headless Chromium for the tests of the console and of the
// chat page.
//
// It promises that input goes the way of a person's, through the browser's own events of
// mouse and keyboard, that each wait has a deadline and names what did not happen, and that
// an exception, a violation of the Content-Security-Policy or a dialog in a page fails its
// test. It speaks the Chrome DevTools Protocol over a pipe, so no port is open. Only
// tests in internal/test/e2e and examples/chat-web import it.
package browser
