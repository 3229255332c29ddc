// Package utilities holds small tools for numbers, dates, text and data. They
// change nothing. All but convert_currency, which asks a server for rates, and the
// two that may read a CSV file of the workspace work from their arguments, the clock
// and chance alone; system_info also says a little of its own process.
package utilities

import "github.com/helve-dev/helve/tool"

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Utilities", "core")
