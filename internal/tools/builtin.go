package tools

import (
	"github.com/helve-dev/helve/internal/tools/audio"
	"github.com/helve-dev/helve/internal/tools/clitools"
	"github.com/helve-dev/helve/internal/tools/codeexec"
	"github.com/helve-dev/helve/internal/tools/codingagents"
	"github.com/helve-dev/helve/internal/tools/desktop"
	"github.com/helve-dev/helve/internal/tools/diagnostics"
	"github.com/helve-dev/helve/internal/tools/dynamictools"
	"github.com/helve-dev/helve/internal/tools/filesystem"
	"github.com/helve-dev/helve/internal/tools/git"
	"github.com/helve-dev/helve/internal/tools/image"
	"github.com/helve-dev/helve/internal/tools/pdf"
	"github.com/helve-dev/helve/internal/tools/shell"
	"github.com/helve-dev/helve/internal/tools/utilities"
	"github.com/helve-dev/helve/internal/tools/webapi"
	"github.com/helve-dev/helve/tool"
)

// Builtin returns the sets of all built-in tools, by category.
func Builtin() []*tool.Set {
	return []*tool.Set{
		audio.Set,
		clitools.Set,
		codeexec.Set,
		codingagents.Set,
		desktop.Set,
		dynamictools.Set,
		filesystem.Set,
		git.Set,
		image.Set,
		pdf.Set,
		shell.Set,
		utilities.Set,
		webapi.Set,
	}
}

// Diagnostics returns the tools for smoke tests and fault tests, which an
// operator turns on.
func Diagnostics() *tool.Set { return diagnostics.Set }
