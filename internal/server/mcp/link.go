package mcp

import (
	"path"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/tool"
)

// fileScheme begins the URIs of files of the caller's workspace. The path follows, as in
// GET /v1/files/{path}.
const fileScheme = "helve-file:///"

// linkTo returns the link to a file that a call wrote.
func linkTo(f *tool.WrittenFile) *sdk.ResourceLink {
	return &sdk.ResourceLink{
		URI: uriOf(f.Path), Name: path.Base(f.Path), MIMEType: f.Type, Size: &f.Size,
	}
}
