package tools

import (
	"cmp"
	"slices"

	"github.com/helve-dev/helve/internal/tools/audio"
	"github.com/helve-dev/helve/internal/tools/clitools"
	"github.com/helve-dev/helve/internal/tools/codeexec"
	"github.com/helve-dev/helve/internal/tools/codingagents"
	"github.com/helve-dev/helve/internal/tools/desktop"
	"github.com/helve-dev/helve/internal/tools/dynamictools"
	"github.com/helve-dev/helve/internal/tools/filesystem"
	"github.com/helve-dev/helve/internal/tools/git"
	"github.com/helve-dev/helve/internal/tools/image"
	"github.com/helve-dev/helve/internal/tools/network"
	"github.com/helve-dev/helve/internal/tools/pdf"
	"github.com/helve-dev/helve/internal/tools/personal"
	"github.com/helve-dev/helve/internal/tools/shell"
	"github.com/helve-dev/helve/internal/tools/utilities"
	"github.com/helve-dev/helve/tool"
)

// Builtin returns the sets of all built-in tools, by category. It leaves out those of
// internal/tools/diagnostics, for smoke tests and fault tests, which an operator must enable.
func Builtin() []*tool.Set {
	sets := append([]*tool.Set{
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
	}, slices.Concat(network.Sets(), personal.Sets(), utilities.Sets())...)
	slices.SortStableFunc(sets, func(a, b *tool.Set) int { return cmp.Compare(a.Category(), b.Category()) })
	return sets
}
