// Package utilities holds small tools for numbers, dates, text and data. They change
// nothing. convert_currency requests rates from a server, and two tools can read a CSV
// file of the workspace; all others use only their arguments, the clock and random
// numbers. system_info also reports a little about its own process.
package utilities

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Utilities", "core")
