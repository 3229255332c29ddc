// Package desktop holds the tools that use a person's desktop: clipboard,
// notifications, applications and browser.
//
// They run on workers of the pool desktop, which are on the person's own machine, and
// reach it only through [tool.Desktop]. Without a desktop their errors name the missing
// part. No tool here moves a mouse or types.
package desktop

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package.
var Set = tool.NewSet("Desktop", "desktop")

// pool names the pool of workers on a person's machine.
const pool = "desktop"
