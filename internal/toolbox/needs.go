package toolbox

import (
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/tool"
)

// optional lists the ports that parts open.
var optional = []struct {
	need tool.Needs
	name string
	part string
}{
	{tool.NeedCustomTools, "the tools that models wrote", JavaScript},
	{tool.NeedDurable, "the programs of models", JavaScript},
	{tool.NeedPrograms, "programs", Programs},
	{tool.NeedContainers, "containers", Containers},
	{tool.NeedDesktop, "a desktop", Desktop},
	{tool.NeedFonts, "the fonts of the machine", Fonts},
	{tool.NeedStore, "the store of personal data", Store},
}

// lacks returns the error for the first port that a tool needs and no part opens.
func lacks(needs, opened tool.Needs) error {
	for _, port := range optional {
		if needs.Has(port.need) && !opened.Has(port.need) {
			return Missing("it needs "+port.name, port.part)
		}
	}
	return nil
}

// PortsOf returns the ports that the parts open.
func PortsOf(list []Part) (opened tool.Needs) {
	for _, part := range list {
		opened |= part.Ports
	}
	return opened
}

// Required returns the error for a setting that requires a part which is not in the list.
func Required(list []Part, cfg config.Config) error {
	has := map[string]bool{}
	for _, part := range list {
		has[part.Name] = true
	}
	switch {
	case len(cfg.ToolsDirs) > 0 && !has[JavaScript]:
		return Missing("tools_dirs (--tools) needs JavaScript", JavaScript)
	case cfg.MCPFile != "" && !has[MCP]:
		return Missing("mcp_file (--mcp) needs MCP", MCP)
	case cfg.OpenAPIFile != "" && !has[OpenAPI]:
		return Missing("openapi_file (--openapi) needs OpenAPI", OpenAPI)
	}
	return nil
}
