// Package dynamictools holds the tools that find, call and manage other tools.
//
// Those that manage work on the custom tools of the caller's tenant through
// [tool.CustomTools] alone; what they store was checked before anybody was asked,
// and again when it is stored. use_tool is no tool of its own: the call becomes
// one of the tool it names, and is judged as that.
package dynamictools

import (
	"strconv"

	"github.com/helve-dev/helve/tool"
)

// Set is the tools of this package.
var Set = tool.NewSet("Dynamic Tools", "customTools")

// The states of a custom tool.
const (
	active   = "active"
	disabled = "disabled"
)

// unsorted is the category under which a tool is found that was given none.
const unsorted = "Custom"

func status(t *tool.CustomTool) string {
	if t.Enabled {
		return active
	}
	return disabled
}

// counted is a number of things in words: 1 tool, 2 tools.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// version is what a call to change a tool is about: a yes to change one version is
// none to change the next.
func version(t *tool.CustomTool) string { return t.ID + "@" + strconv.Itoa(t.Version) }
