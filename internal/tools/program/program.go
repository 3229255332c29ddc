// Package program holds the tool that runs programs of models: code that calls other tools.
package program

import "github.com/helve-dev/helve/tool"

// Set is the tools of this package.
var Set = tool.NewSet("Programs", "programs")
