package dataextraction

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

const (
	// sectionSize bounds the part of a text that one request to a model holds, in bytes.
	sectionSize = 60_000
	// maxSections bounds the requests for the parts of a text.
	maxSections = 16
	// maxSource bounds a text for a model, in bytes.
	maxSource = sectionSize * maxSections
)

// oneSource refuses a call with neither a text nor a path, or with both.
func oneSource(text, path string) error {
	switch blank := strings.TrimSpace(text) == ""; {
	case blank && path == "":
		return tool.Fail(tool.ValidationError, `text is blank; send the text to read, or "" and path for a file of the workspace`)
	case !blank && path != "":
		return tool.Fail(tool.ValidationError, `text and path are both given; send one of them, and text as "" with path`)
	case len(text) > maxSource:
		return tooLong(tool.ValidationError, "text", int64(len(text)))
	}
	return nil
}

// source returns the text of a call, or that of the file at path.
func source(call *tool.Call, text, path string) (string, error) {
	if path == "" {
		return text, nil
	}
	f, err := call.Files.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", tool.Fail(tool.ValidationError, "%s is a directory; name a text file", path)
	case info.Size() > maxSource:
		return "", tooLong(tool.FileTooLarge, path, info.Size())
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	switch {
	case err != nil:
		return "", err
	case len(raw) > maxSource: // it has grown
		return "", tooLong(tool.FileTooLarge, path, int64(len(raw)))
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return "", tool.Fail(tool.ValidationError, "%s is no UTF-8 text; read it with read_pdf or read_file, and send what they return as text",
			path)
	case strings.TrimSpace(string(raw)) == "":
		return "", tool.Fail(tool.ValidationError, "%s is blank", path)
	}
	return string(raw), nil
}

func tooLong(kind tool.Kind, what string, size int64) error {
	return tool.Fail(kind, "%s has %d bytes, at most %d are read; send it in parts", what, size, maxSource)
}
