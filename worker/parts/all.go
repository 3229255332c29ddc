// Package parts lists the optional parts of a worker, each a package of its own below
// this one. A worker program passes the parts that it needs; the programs that Helve ships
// pass [All].
package parts

import (
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/worker/parts/containers"
	"github.com/helve-dev/helve/worker/parts/desktop"
	"github.com/helve-dev/helve/worker/parts/fonts"
	"github.com/helve-dev/helve/worker/parts/javascript"
	"github.com/helve-dev/helve/worker/parts/mail"
	"github.com/helve-dev/helve/worker/parts/mcp"
	"github.com/helve-dev/helve/worker/parts/openapi"
	"github.com/helve-dev/helve/worker/parts/programs"
	"github.com/helve-dev/helve/worker/parts/store"
)

// All returns every part there is. A program that calls it links all of them.
func All() []toolbox.Part {
	return []toolbox.Part{
		javascript.Part(), mcp.Part(), openapi.Part(), programs.Part(), containers.Part(), desktop.Part(), fonts.Part(), store.Part(),
		mail.Part(),
	}
}
