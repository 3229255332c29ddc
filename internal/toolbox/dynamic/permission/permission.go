// Package permission defines the permissions of code written by models, and decides which
// tools such code may call. It runs nothing, so a worker that was built without JavaScript
// bounds nested calls by the same rules.
package permission

import (
	"slices"

	"github.com/helve-dev/helve/tool"
)

// The permissions of a tool's code.
const (
	Network    = "network"
	Filesystem = "filesystem"
	Database   = "database"
	Shell      = "shell"
	Email      = "email"
	Scheduling = "scheduling"
	// Local is implied for every tool: it runs in the sandbox. It adds nothing.
	Local = "local"
)

// Permissions returns all of them.
func Permissions() []string {
	return []string{Network, Filesystem, Database, Shell, Email, Scheduling, Local}
}

// categories are the categories whose tools each permission makes available to callTool.
var categories = map[string][]string{
	Network:    {"Web & API", "Weather"},
	Filesystem: {"File System", "PDF"},
	Database:   {"Tasks", "Bookmarks", "Notes", "Calendar", "Contacts", "Custom Data", "Memory", "Goals", "Finance", "Vector Search"},
	Shell:      {"Code Execution", "CLI Tools", "Git"},
	Email:      {"Email"},
	Scheduling: {"Scheduler"},
}

// Management is the category of the tools that manage tools, and of those that delegate to
// others. Scripts cannot call them.
const Management = "Dynamic Tools"

// MaxDepth is the maximum depth of scripts that call scripts.
const MaxDepth = 3

// Reaches reports whether the code of a tool with these permissions may call another tool;
// needs are the permissions of that tool, if it is dynamic. Every tool that is not named
// here is refused.
func Reaches(permissions []string, def *tool.Definition, needs []string) bool {
	if def.Category == Management {
		return false
	}
	if def.Kind == tool.KindDynamic {
		// A script must not gain a permission by calling another script.
		return !slices.ContainsFunc(needs, func(p string) bool { return p != Local && !slices.Contains(permissions, p) })
	}
	for _, p := range permissions {
		if slices.Contains(categories[p], def.Category) {
			return true
		}
	}
	return def.Risk == tool.Low && !def.Mutates && !def.OpenWorld
}
