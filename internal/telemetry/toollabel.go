package telemetry

import "github.com/helve-dev/helve/tool"

// ToolLabel is how a tool is called in metrics. Names that models choose do not
// become labels: there may be a thousand for each tenant. Nil is a tool that nobody
// knows.
func ToolLabel(def *tool.Definition) string {
	switch {
	case def == nil:
		return "unknown"
	case def.Kind == tool.KindDynamic:
		return "custom"
	}
	return def.Name
}
