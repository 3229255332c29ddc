// Package console serves the console: a single-page application in the folder dist, which
// is made by `go generate` from the folder console of the repository and committed.
//
// It promises that each page of the application is the same document, that a file below
// /assets/, whose name has a hash of its contents, is never requested twice by a browser,
// and that nothing runs in these pages but the scripts in dist: the Content-Security-Policy
// allows no inline script or style, no other host, and no frame. It serves GET and HEAD of
// its own paths only; every other request is the next handler's.
//
// It identifies nobody: the pages hold no data, which they read from the public API.
package console
