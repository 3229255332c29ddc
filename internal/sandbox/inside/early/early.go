// Package early makes a child of the cage of a process before the other packages of
// its binary are set up. Package worker imports it for that alone:
//
//	import _ "github.com/helve-dev/helve/internal/sandbox/inside/early"
//
// A worker links much that takes its time to be set up, and memory: tables, schemas,
// codecs. A child, which is the same binary, needs none of it, and a script that was
// killed would wait for all of it in the child that takes its place. Packages are set up
// in the order of their import paths as far as their own imports allow; this one comes
// before most of that. What inside.Child does in main stays as it is, and is where a
// child begins without this import.
//
// It does nothing in a process that was not started as a child.
package early

import "github.com/helve-dev/helve/internal/sandbox/inside"

var _ = func() bool {
	// Until main begins, its goroutine keeps to the first thread: each time it waited
	// for a frame, another thread would have to hand over to that one.
	served := make(chan struct{})
	go func() {
		inside.Child() // does not return in a child
		close(served)
	}()
	<-served
	return true
}()
