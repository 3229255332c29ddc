package provider

import (
	"fmt"
	"strings"
)

// Format is a model provider's format of tools, calls and results.
type Format string

// The formats. [MCP] has definitions only: its calls and results are requests and
// answers of the protocol itself.
const (
	OpenAI    Format = "openai"           // Chat Completions, and compatible APIs
	Responses Format = "openai_responses" // OpenAI's Responses
	Anthropic Format = "anthropic"        // Messages
	Gemini    Format = "gemini"           // generateContent
	MCP       Format = "mcp"              // the tools of tools/list
)

// Formats returns every [Format].
func Formats() []Format { return []Format{OpenAI, Responses, Anthropic, Gemini, MCP} }

// Parse returns the format of that name, false if there is none.
func Parse(name string) (Format, bool) {
	_, ok := dialects[Format(name)]
	return Format(name), ok
}

// Name returns the name under which a model is offered a tool in every format but
// [MCP], which keeps the tool's own: OpenAI and Anthropic forbid dots, so they become
// underscores. The catalogue refuses two tools with the same result, which makes it
// reversible.
func Name(native string) string { return strings.ReplaceAll(native, ".", "_") }

// dialect implements a format. All of it works on valid JSON text.
type dialect struct {
	// define appends one definition; open and end enclose a list of them.
	define    func(w []byte, d *definition) []byte
	open, end string

	// read returns the calls in a message, which is an object. needsID is set if an
	// answer refers to its call only by ID. Both are unused for formats without
	// messages.
	read    func(message []byte) ([]written, error)
	needsID bool

	// answer appends one result, with a preceding comma unless it is the first; before
	// and after enclose a message of several.
	answer        func(w []byte, c *Call, o *Outcome) []byte
	before, after string
}

var dialects = map[Format]*dialect{
	OpenAI: {
		define: defineOpenAI, open: "[", end: "]",
		read: readOpenAI, needsID: true,
		answer: answerOpenAI, before: "[", after: "]",
	},
	Responses: {
		define: defineResponses, open: "[", end: "]",
		read: readResponses, needsID: true,
		answer: answerResponses, before: "[", after: "]",
	},
	Anthropic: {
		define: defineAnthropic, open: "[", end: "]",
		read: readAnthropic, needsID: true,
		answer: answerAnthropic, before: `[{"role":"user","content":[`, after: `]}]`,
	},
	Gemini: {
		define: defineGemini, open: `[{"functionDeclarations":[`, end: `]}]`,
		read:   readGemini,
		answer: answerGemini, before: `[{"role":"user","parts":[`, after: `]}]`,
	},
	MCP: {define: defineMCP, open: "[", end: "]"},
}

// dialect returns the implementation of f.
func (f Format) dialect() (*dialect, error) {
	d, ok := dialects[f]
	if !ok {
		return nil, fmt.Errorf("there is no format %.80q; use one of %v", string(f), Formats())
	}
	return d, nil
}

// talk returns the dialect of a format that has messages.
func (f Format) talk() (*dialect, error) {
	d, err := f.dialect()
	if err == nil && d.read == nil {
		return nil, fmt.Errorf("the format %q has no messages; use one of %v", string(f), Formats()[:4])
	}
	return d, err
}
