package tool

import "encoding/json"

// Question is a question from a tool to the person of a call. The call waits for the
// answer, which is the call's result.
type Question struct {
	// Text is the question.
	Text string
	// Schema is the JSON Schema of the answer: an object whose properties are strings,
	// numbers, integers or booleans.
	Schema json.RawMessage
}
