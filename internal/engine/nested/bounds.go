package nested

import (
	"strings"

	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/tool"
)

// maxNested bounds the calls that one call of a script may make. The whole tree of a call
// is bounded by worker.max_inner_calls.
const maxNested = 50

// notAgain refuses a batch within a batch.
func (c *Calls) notAgain(total int64, t *tool.Tool) error {
	switch {
	case t.Name == c.outer.Tool:
		return tool.Fail(tool.ValidationError, "'%s' cannot call itself; put its calls into this one", t.Name)
	case total > c.Most:
		return c.treeFull(t.Name)
	}
	return nil
}

func tooMany(name string) *tool.Error {
	return tool.Fail(tool.RateLimited,
		"'%.64s' cannot be called: a call may make at most %d others; do more in each, or return and let the caller go on", name, maxNested)
}

func (c *Calls) treeFull(name string) *tool.Error {
	return tool.Fail(tool.RateLimited,
		"'%.64s' cannot be called: one call and all that it calls in turn may make at most %d calls; do more in each, or split the work over "+
			"several calls",
		name, c.Most)
}

// bound refuses a nested call that is too deep, one too many, or of a tool that the
// permissions of the calling code do not cover. These are the permissions of the version
// that runs, also if they were changed since.
func (c *Calls) bound(n int, total int64, t *tool.Tool) error {
	switch {
	case c.outer.Depth >= permission.MaxDepth:
		return tool.Fail(tool.PermissionDenied, "'%s' cannot be called: calls may be at most %d deep", t.Name, permission.MaxDepth)
	case n > maxNested:
		return tooMany(t.Name)
	case total > c.Most:
		return c.treeFull(t.Name)
	case !permission.Reaches(c.outer.Permissions(), &t.Definition, t.Permissions):
		has := "it has no permissions, and may call only tools of low risk that change nothing and reach nothing outside"
		if may := c.outer.Permissions(); len(may) > 0 {
			has = "its permissions, " + strings.Join(may, ", ") + ", do not cover that tool"
		}
		return tool.Fail(tool.PermissionDenied, "'%s' cannot call '%s': %s", c.outer.Tool, t.Name, has)
	}
	return nil
}
