// Package javascript is the part of a worker that runs scripts: the tools of tools
// directories (--tools), and the tools that models write.
package javascript

import (
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/javascript"
)

// Part returns the part.
func Part() toolbox.Part { return javascript.Part() }
