// Package image holds the tools that work on pictures.
//
// A picture comes from the workspace, from a public address, or in the call itself
// as a data: URL or base64. What it is, its contents say, not its name. It is
// hostile until shown otherwise: its declared size is checked before it is decoded,
// so that a small file cannot ask for memory out of proportion.
//
// Pictures are resampled in the colour values they are stored with; colour profiles
// and other metadata do not survive, except that the orientation a camera noted is
// carried out.
package image

import "github.com/helve-dev/helve/tool"

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Image", "image")
