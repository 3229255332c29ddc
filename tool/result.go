package tool

import "encoding/json"

// Result is what a call that succeeded answers.
type Result struct {
	// Value is any JSON value. It is never empty: nothing is null.
	Value json.RawMessage
	// Text, where the tool has such a form, is what a model is shown in
	// place of Value.
	Text string
	// Truncated says that Value was cut to the tool's own cap; the full size
	// is then in Metadata.
	Truncated bool
	// Metadata is what the caller may want to know beside the result.
	Metadata map[string]any
}

// Presenter is a result type that also sets the text a model is shown, the
// truncation mark or metadata. Present is called after Value was encoded.
type Presenter interface {
	Present(*Result)
}
