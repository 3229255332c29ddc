// Package data holds the tools that read, convert, sort and validate tables, lists and JSON.
// They change nothing. Two of them can read a CSV file of the workspace; all others use only
// their arguments and random numbers.
package data

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package; each file adds its own. They are in the category of
// the package above.
var Set = tool.NewSet("Utilities", "core")
