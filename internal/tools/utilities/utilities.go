// Package utilities holds small tools that need nothing but their arguments
// and the clock of their call. They change nothing, and the answer to one call
// is the same on every worker.
package utilities

import "github.com/helve-dev/helve/tool"

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Utilities", "core")
