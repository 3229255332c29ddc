// Package autoexec runs a process as a child of the sandbox before the other packages of
// its binary are initialized. Package worker imports it for that alone:
//
//	import _ "github.com/helve-dev/helve/internal/toolbox/sandbox/child/autoexec"
//
// A worker links much whose initialization takes time and memory: tables, schemas,
// codecs. A child may be the same binary and needs none of it, and after a killed script
// the replacement child would wait for all of it. Packages are initialized in the order
// of their import paths as far as their own imports allow; this one comes before most of
// them. A program without this import starts a child in main, by child.Main.
//
// It does nothing in a process that was not started as a child.
package autoexec

import "github.com/helve-dev/helve/internal/toolbox/sandbox/child"

var _ = func() bool {
	// Until main begins, its goroutine is locked to the first thread, and each wait for a
	// frame would switch threads; another goroutine is not locked.
	served := make(chan struct{})
	go func() {
		child.Main() // does not return in a child
		close(served)
	}()
	<-served
	return true
}()
