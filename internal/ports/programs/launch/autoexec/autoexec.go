// Package autoexec runs a process as a launcher before the other packages of its binary
// are initialized. Package worker imports it only for this:
//
//	import _ "github.com/helve-dev/helve/internal/ports/programs/launch/autoexec"
//
// A worker links many packages whose initialization takes time: tables, schemas,
// codecs. A launcher may be the same binary and needs none of them, but each run of a
// program would wait for them. Packages are initialized in the order of their import
// paths as far as their own imports allow; this one comes before most of them. A
// program without this import starts a launcher in main, by launch.Child.
//
// It does nothing in a process that was not started as a launcher.
package autoexec

import "github.com/helve-dev/helve/internal/ports/programs/launch"

var _ = func() bool {
	launch.Child() // does not return in a launcher
	return true
}()
