// Package dynamictools holds the tools that find, call and manage other tools.
//
// The managing tools work on the custom tools of the calling person, only through
// [tool.CustomTools], and can read the tools shared with the tenant. Code is checked
// before a person is asked, and again when it is stored. use_tool does not run as a
// tool of its own: the call becomes a call of the named tool, and is authorised as
// such.
package dynamictools

import (
	"strconv"

	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package.
var Set = tool.NewSet("Dynamic Tools", "customTools")

// States of a custom tool.
const (
	active   = "active"
	disabled = "disabled"
)

// unsorted is the category of a tool that has none.
const unsorted = "Custom"

func status(t *tool.CustomTool) string {
	if t.Enabled {
		return active
	}
	return disabled
}

// mine refuses a tool that another person shared.
func mine(t *tool.CustomTool) error {
	if !t.Shared {
		return nil
	}
	return tool.Fail(tool.PermissionDenied,
		"'%s' belongs to %s, and only they or an admin can change it; make a tool of your own with create_tool", t.Name, t.Owner)
}

// counted formats a number of things: 1 tool, 2 tools.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// version returns the version that a change is bound to: approval to change one version
// does not cover the next.
func version(t *tool.CustomTool) string { return t.ID + "@" + strconv.Itoa(t.Version) }
