package provider

import (
	"fmt"
	"strings"
)

// Format is how one model provider writes tools, calls and results.
type Format string

// The formats. [MCP] has definitions only: its calls and results are requests and
// answers of the protocol itself.
const (
	OpenAI    Format = "openai"           // Chat Completions, and what imitates it
	Responses Format = "openai_responses" // OpenAI's Responses
	Anthropic Format = "anthropic"        // Messages
	Gemini    Format = "gemini"           // generateContent
	MCP       Format = "mcp"              // the tools of tools/list
)

// Formats lists every [Format] there is.
func Formats() []Format { return []Format{OpenAI, Responses, Anthropic, Gemini, MCP} }

// Parse returns the format of that name, false if there is none.
func Parse(name string) (Format, bool) {
	_, ok := dialects[Format(name)]
	return Format(name), ok
}

// Name is the name under which a model is offered a tool in every format but [MCP],
// which keeps the tool's own: OpenAI and Anthropic forbid dots, so they become
// underscores. The catalogue refuses two tools that would be one then, which makes it
// reversible.
func Name(native string) string { return strings.ReplaceAll(native, ".", "_") }

// dialect is what makes a format. All of it works on JSON text that was found valid.
type dialect struct {
	// define appends one definition; open and end stand around a list of them.
	define    func(w []byte, d *definition) []byte
	open, end string

	// read finds the calls in a message, which is an object. needsID says that an
	// answer finds its call by id only. Both are nil or unused where there are no
	// messages.
	read    func(message []byte) ([]written, error)
	needsID bool

	// answer appends one result, with a comma to its left unless it is the first;
	// before and after stand around a message of several.
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

// dialect returns what f is made of.
func (f Format) dialect() (*dialect, error) {
	d, ok := dialects[f]
	if !ok {
		return nil, fmt.Errorf("there is no format %.80q; use one of %v", string(f), Formats())
	}
	return d, nil
}

// talk is dialect for a format that has messages.
func (f Format) talk() (*dialect, error) {
	d, err := f.dialect()
	if err == nil && d.read == nil {
		return nil, fmt.Errorf("the format %q has no messages; use one of %v", string(f), Formats()[:4])
	}
	return d, err
}
