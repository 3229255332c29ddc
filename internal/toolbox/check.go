package toolbox

import (
	"encoding/json"
	"strings"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// Check returns the definition of a tool, or the error with which a call of it by the agent
// would end because of its name or arguments.
func (c AgentCatalog) Check(name string, args json.RawMessage) (*tool.Definition, error) {
	def, ok := c.Lookup(name)
	if !ok {
		near := ""
		if names := c.Near(name, 3); len(names) > 0 {
			near = "; similar names: " + strings.Join(names, ", ")
		}
		return nil, tool.Fail(tool.ToolNotFound, "Tool '%s' not found, or this agent may not use it%s", name, near)
	}
	entry, err := engine.NewEntry(&tool.Tool{Definition: *def})
	if err != nil {
		return nil, err
	}
	return def, entry.Check(args)
}
