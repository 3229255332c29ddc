// Package pdf holds the tools that read and make PDF documents.
//
// Documents are hostile until shown otherwise. Where the worker has poppler, its
// programs open them, confined and with their memory bounded; otherwise this process
// does, smaller documents only, under bounds on bytes, nesting and time. Either way
// what is returned is bounded and says when it was cut.
//
// Documents that are made carry their fonts with them: Latin, Greek and Cyrillic.
package pdf

import "github.com/helve-dev/helve/tool"

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("PDF", "pdf")
