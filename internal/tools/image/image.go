// Package image holds the tools that work on pictures.
//
// A picture comes from the workspace, from a public address, or in the call itself as a
// data: URL or base64. Its contents decide its format, not its name. Pictures are
// untrusted: the declared size is checked before decoding, so that a small file cannot
// take an unreasonable amount of memory.
//
// Pictures are resampled in their stored colour values. Colour profiles and other
// metadata are dropped, except that the camera's orientation is applied.
package image

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Image", "image")
