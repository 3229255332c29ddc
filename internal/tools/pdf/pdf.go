// Package pdf holds the tools that read and create PDF documents.
//
// Documents are untrusted. If the worker has poppler, its programs open them, confined
// and with limited memory; otherwise this process does, only smaller documents, with
// limits on bytes, nesting and time. In both cases the result is limited and states
// whether it was cut.
//
// Created documents embed their fonts: Latin, Greek, Cyrillic, Hebrew, Arabic, Armenian
// and Georgian. Other scripts use fonts of the worker's machine, with the required
// shaping. Characters that no font has are replaced by a box, and the answer reports
// them.
package pdf

import "github.com/helve-dev/helve/tool"

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("PDF", "pdf")
