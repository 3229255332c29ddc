// Package fonts is the part of a worker that lends the fonts of its machine to tools with
// [tool.NeedFonts], which make documents.
package fonts

import (
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/ports/fonts"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Part returns the part. It reads no directory before a font is needed.
func Part() toolbox.Part {
	return toolbox.Part{Name: toolbox.Fonts, Ports: tool.NeedFonts, Open: open}
}

type ports struct{ fonts *fonts.Fonts }

func open(cfg config.Config, _ *workspace.Workspaces) (toolbox.Ports, error) {
	return ports{fonts.New(cfg.PDF.Fonts)}, nil
}

// Fill implements [toolbox.Ports].
func (p ports) Fill(call *tool.Call, _ []tool.Scopes) error {
	call.Fonts = p.fonts
	return nil
}

// Close implements [toolbox.Ports].
func (ports) Close() {}
