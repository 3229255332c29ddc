// Package desktop holds the tools that use the desktop of the person they work for:
// clipboard, notifications, applications and browser.
//
// They run on workers of the pool desktop, which are on the person's own machine, and
// see it through [tool.Desktop] alone. Where there is no desktop they say what is
// missing. Nothing here moves a mouse or types.
package desktop

import "github.com/helve-dev/helve/tool"

// Set is the tools of this package.
var Set = tool.NewSet("Desktop", "desktop")

// pool is that of workers on the machine of a person.
const pool = "desktop"
