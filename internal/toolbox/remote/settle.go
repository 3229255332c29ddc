package remote

import (
	"fmt"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/tool"
)

// Operator returns the operator's settings of a tool; ok is false if there are none, and
// group is empty for the usual one. Nil has no settings.
type Operator func(name string) (risk tool.Risk, group string, ok bool)

// settle returns a registered definition with the risk and group that it is offered with. A
// process decides neither: without a setting its tools are of medium risk, or of high risk
// if it says so itself.
func (o Operator) settle(def tool.Definition) tool.Definition {
	def.Group = group
	if def.Risk == tool.Low {
		def.Risk = tool.Medium
	}
	if o == nil {
		return def
	}
	if risk, group, ok := o(def.Name); ok {
		def.Risk = risk
		if group != "" {
			def.Group = group
		}
	}
	return def
}

// clean removes the characters that people cannot see from the texts of a definition, and
// refuses names and values with such characters.
func clean(def *tool.Definition) error {
	def.Description = foreign.Text(def.Description, maxDefinition)
	if def.Description == "" {
		return fmt.Errorf("description has no character that people can see")
	}
	for _, list := range [][]string{
		{def.Category, def.Version, def.Pool}, def.Tags, def.RequiredPermissions, def.Scopes.Hosts, def.Scopes.Paths, def.Scopes.Apps,
	} {
		for _, text := range list {
			if foreign.Hidden(text) {
				return fmt.Errorf("%.80q holds characters that cannot be seen", text)
			}
		}
	}
	var err error
	if def.Parameters, err = foreign.Legible(def.Parameters, maxDefinition); err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	if def.ResultSchema, err = foreign.Legible(def.ResultSchema, maxDefinition); err != nil {
		return fmt.Errorf("result_schema: %w", err)
	}
	return nil
}
