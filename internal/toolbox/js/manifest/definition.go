package manifest

import (
	"fmt"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

// Definition parses the definition of a tool without a file, that of a remote process.
// The rules and defaults are those of a manifest, except that the name may have dots.
// base provides the kind, which the definition cannot change, and the defaults of
// category and group. Errors are full sentences.
func Definition(raw []byte, base tool.Definition) (tool.Definition, []string) {
	if err := schema.Strict(raw); err != nil {
		return tool.Definition{}, []string{fmt.Sprintf("%s%s", err, place(raw))}
	}
	d := newDraft(Whole)
	d.Definition.Category, d.Definition.Group = base.Category, base.Group
	d.read(raw)
	if d.given == nil {
		return tool.Definition{}, d.problems
	}
	d.Definition.Kind = base.Kind
	if d.Definition.Durable || d.given["tools"] != "" {
		d.failf("durable and tools are for scripts of a tools directory; a process makes calls of its own in place of it")
		d.Definition.Durable, d.Definition.Tools = false, nil
	}
	named := tool.ValidName(d.Definition.Name)
	if !named && d.sound("name") {
		d.failf("name %q must be letters, digits, underscores and dots, begin with a letter, and have at most %d bytes",
			clip(d.Definition.Name), tool.MaxNameLength)
	}
	d.check(named)
	if more := len(d.problems) - maxReported; more > 0 {
		d.problems = append(d.problems[:maxReported], fmt.Sprintf("and %d more", more))
	}
	return d.Definition, d.problems
}
