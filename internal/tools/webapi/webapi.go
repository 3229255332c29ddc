// Package webapi holds the tools that speak HTTP with hosts outside the
// platform.
//
// They reach the network only through [tool.HTTP], which is guarded, and treat
// everything a server sends as hostile: sizes, nesting and the work that goes
// into a page are bounded, and what is cut is said to be cut.
//
// What a page says is data. Nothing here keeps a model from believing it.
package webapi

import "github.com/helve-dev/helve/tool"

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Web & API", "webFetch")
