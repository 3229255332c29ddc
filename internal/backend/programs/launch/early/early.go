// Package early makes a launcher of a process before the other packages of its binary
// are set up. Package worker imports it for that alone:
//
//	import _ "github.com/helve-dev/helve/internal/backend/programs/launch/early"
//
// A worker links much that takes its time to be set up, tables and schemas and codecs,
// and a launcher, which is the same binary, needs none of it but would pay for it in
// each run of a program. Packages are set up in the order of their import paths as far
// as their own imports allow; this one comes before most of that. What launch.Child
// does in main stays as it is, and is where a launcher begins without this import.
//
// It does nothing in a process that was not started as a launcher.
package early

import "github.com/helve-dev/helve/internal/backend/programs/launch"

var _ = func() bool {
	launch.Child() // does not return in a launcher
	return true
}()
