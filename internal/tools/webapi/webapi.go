// Package webapi holds the tools that send HTTP requests to hosts outside the platform.
//
// They reach the network only through [tool.HTTP], which is guarded, and treat
// everything that a server sends as hostile: sizes, nesting and the work for a page are
// limited, and truncation is reported.
//
// The text of a page is data, but nothing here prevents a model from trusting it.
package webapi

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Web & API", "webFetch")
