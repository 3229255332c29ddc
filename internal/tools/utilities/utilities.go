// Package utilities holds small tools for numbers, units, money, dates and random values, and
// lists those for text and data of the packages below it. They change nothing.
// convert_currency requests rates from a server, and two tools of data can read a CSV file
// of the workspace; all others use only their arguments, the clock and random numbers.
// system_info also reports a little about its own process.
package utilities

import (
	"github.com/helve-dev/helve/internal/tools/utilities/data"
	"github.com/helve-dev/helve/internal/tools/utilities/text"
	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Utilities", "core")

// Sets returns the sets of the category, which is too wide for one package.
func Sets() []*tool.Set {
	return []*tool.Set{
		Set,
		data.Set,
		text.Set,
	}
}
