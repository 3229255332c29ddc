package telemetry

import "github.com/helve-dev/helve/tool"

// ToolLabel returns the label of a tool in metrics. Names that models choose do not
// become labels, because there may be a thousand for each tenant. A nil tool is
// unknown.
func ToolLabel(def *tool.Definition) string {
	switch {
	case def == nil:
		return "unknown"
	case def.Kind == tool.KindDynamic:
		return "custom"
	}
	return def.Name
}
