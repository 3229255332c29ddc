// Package image holds the tools that work on pictures.
//
// A picture comes from the workspace, from a public address, or in the call itself as a
// data: URL or base64. Its contents decide its format, not its name. Pictures are
// untrusted: the declared size is checked before decoding, so that a small file cannot
// take an unreasonable amount of memory.
//
// Pictures are resampled in their stored colour values. Colour profiles and other
// metadata are dropped, except that the camera's orientation is applied.
//
// Pictures are made and understood by models of services. A picture that is sent is read
// from the workspace or fetched by the worker, so a provider gets contents and never a path
// or an address. A request is sent once; the next provider is used only if the one before
// certainly did nothing. What is paid for is stored before the call returns; an error names a
// cost that there may have been.
package image

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Image", "image")
