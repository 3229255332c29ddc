package dynamictools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// keptVersion is a version of a custom tool that is kept.
type keptVersion struct {
	Version   int       `json:"version"`
	UpdatedAt time.Time `json:"updatedAt"`
	Status    string    `json:"status" enum:"active,disabled"`
}

// versionOf returns a version of a tool that is kept.
func versionOf(ctx context.Context, call *tool.Call, name string, number int) (tool.CustomTool, error) {
	kept, err := call.CustomTools.Versions(ctx, call, name)
	if err != nil {
		return tool.CustomTool{}, err
	}
	i := slices.IndexFunc(kept, func(t tool.CustomTool) bool { return t.Version == number })
	if i < 0 {
		return tool.CustomTool{}, tool.Fail(tool.ValidationError, "version %d of '%s' is not kept; there are %s", number, name, numbers(kept))
	}
	return kept[i], nil
}

func numbers(kept []tool.CustomTool) string {
	var list []string
	for _, t := range kept {
		list = append(list, fmt.Sprint(t.Version))
	}
	return strings.Join(list, ", ")
}

// restored applies the arguments of a change to a tool: the contents of an earlier version, or
// the given fields.
func (a updateArgs) restored(ctx context.Context, call *tool.Call, t *tool.CustomTool) error {
	if a.Restore == 0 {
		a.apply(t)
		return nil
	}
	if (a != updateArgs{Name: a.Name, Restore: a.Restore}) {
		return tool.Fail(tool.ValidationError, "restore brings back all of an earlier version; give nothing but name and restore")
	}
	old, err := versionOf(ctx, call, t.Name, a.Restore)
	if err != nil {
		return err
	}
	was := *t
	*t = old
	t.Version, t.Enabled, t.UpdatedAt = was.Version, was.Enabled, was.UpdatedAt
	return nil
}

// undeclared returns a sentence about the tools that a durable tool may call and that are not there.
func undeclared(t *tool.CustomTool) string {
	if len(t.Missing) == 0 {
		return ""
	}
	return fmt.Sprintf(" There is no tool %s now, so '%s' counts as one of high risk until there is.", strings.Join(t.Missing, ", "), t.Name)
}
