package tool

import "encoding/json"

// Result is the result of a call that succeeded.
type Result struct {
	// Value is any JSON value. It is never empty: nothing is null.
	Value json.RawMessage
	// Text, if the tool has such a form, is shown to a model in place of Value.
	Text string
	// Content, if the result is more than a value, is a JSON array of blocks as MCP defines
	// them: texts, images, sounds, resources and links. MCP clients are sent the blocks,
	// models the images that they can read; Value and Text describe them for all others.
	Content json.RawMessage
	// Truncated is set if Value was cut to the tool's own limit; Metadata then has the
	// full size.
	Truncated bool
	// Notes are sentences for a model to read beside the result, such as that it was
	// cut and how to get the rest. At most 5 are sent.
	Notes []string
	// Files are the files of the workspace that the call has written. The engine sets
	// them from the files port; callers get them as metadata.files.
	Files []WrittenFile
	// Usage lists what the call spent ([Call.Spend]), also if it failed; callers get the sum
	// as metadata.usage.
	Usage []Usage
	// Metadata is additional information for the caller.
	Metadata map[string]any
}

// WrittenFile is a file of the workspace that a call has written.
type WrittenFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	// Type is the media type that follows from the name.
	Type string `json:"type"`
}

// FileWriteLog is implemented by a [Files] that records the successful writes of its
// call. Written returns those files that still exist, in the order of their first write,
// and at most 100 of them.
type FileWriteLog interface {
	Written() []WrittenFile
}

// Presenter is a result type that also sets the text for models, the truncation mark or
// metadata. Present is called after Value was encoded.
type Presenter interface {
	Present(*Result)
}
