// Package pdftext reads the text of PDF documents without programs.
//
// It promises that a document costs bounded time and memory whatever it holds, and ends
// with the context; that a damaged or encrypted document is an error of a tool. It does not
// promise the layout of the pages, or the text of scanned images: pdftotext of poppler
// keeps more.
package pdftext

import "github.com/helve-dev/helve/tool"

// Encrypted returns the error for a document that needs a password.
func Encrypted() *tool.Error {
	return tool.Fail(tool.Unsupported, "The PDF is encrypted and needs a password; save a copy without one and use that.")
}

// Damaged returns the error for a document that cannot be read.
func Damaged(cause error) *tool.Error {
	return tool.Fail(tool.ExecutionError, "The PDF is damaged and cannot be read; use another copy of it.").Because(cause)
}
