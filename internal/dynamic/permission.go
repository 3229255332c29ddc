package dynamic

import (
	"slices"

	"github.com/helve-dev/helve/tool"
)

// What the code of a tool may be allowed.
const (
	Network    = "network"
	Filesystem = "filesystem"
	Database   = "database"
	Shell      = "shell"
	Email      = "email"
	Scheduling = "scheduling"
	// Local is what every tool may: it runs in the cage. It adds nothing.
	Local = "local"
)

// Permissions lists them all.
func Permissions() []string {
	return []string{Network, Filesystem, Database, Shell, Email, Scheduling, Local}
}

// categories are those whose tools each permission opens to callTool.
var categories = map[string][]string{
	Network:    {"Web & API", "Weather"},
	Filesystem: {"File System", "PDF"},
	Database:   {"Tasks", "Bookmarks", "Notes", "Calendar", "Contacts", "Custom Data", "Memory", "Goals", "Finance", "Vector Search"},
	Shell:      {"Code Execution", "CLI Tools", "Git"},
	Email:      {"Email"},
	Scheduling: {"Scheduler"},
}

// Management is the category of the tools that manage tools, and of those that
// are a way to others. No script reaches one.
const Management = "Dynamic Tools"

// Reaches says whether the code of a tool with these permissions may call another
// tool; needs are the permissions of that one, if it is dynamic. What is not named
// here it may not.
func Reaches(permissions []string, def *tool.Definition, needs []string) bool {
	if def.Category == Management {
		return false
	}
	if def.Kind == tool.KindDynamic {
		// What it could not do itself, another script must not do for it.
		return !slices.ContainsFunc(needs, func(p string) bool { return p != Local && !slices.Contains(permissions, p) })
	}
	for _, p := range permissions {
		if slices.Contains(categories[p], def.Category) {
			return true
		}
	}
	return def.Risk == tool.Low && !def.Mutates && !def.OpenWorld
}
