// Package text holds the tools that count, compare, rewrite, search and encode texts. They
// use only their arguments and change nothing.
package text

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package; each file adds its own. They are in the category of
// the package above.
var Set = tool.NewSet("Utilities", "core")
