package chat

import (
	"fmt"
	"maps"

	"github.com/go-json-experiment/json/jsontext"
)

// fragment is a piece of a call of Chat Completions.
type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"` // function; no other kind is offered
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"` // a piece of text, or all of it as an object
	} `json:"function"`
	// Rest has a server's additional members, which it expects back, such as Gemini's
	// extra_content with the signature of a thought.
	Rest map[string]jsontext.Value `json:",embed"`
}

// functionCall is a complete call in an assistant's message.
type functionCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Rest map[string]jsontext.Value `json:",embed"`
}

// callList assembles calls, in the order in which they began.
type callList struct {
	items   int // in the conversation
	begun   []*growing
	byIndex map[int]*growing
}

// growing is a call under construction.
type growing struct {
	id, name  string
	arguments []byte
	rest      map[string]jsontext.Value
}

// add applies the fragments of one chunk.
func (l *callList) add(fragments []fragment) {
	for i := range fragments {
		f := &fragments[i]
		c := l.find(f, i == 0)
		if c.id == "" {
			c.id = f.ID
		}
		if c.name == "" { // some servers repeat it
			c.name = f.Function.Name
		}
		switch arguments := f.Function.Arguments; arguments.Kind() {
		case '"':
			c.arguments = append(c.arguments, textOf(arguments)...)
		case 'n', jsontext.KindInvalid:
		default:
			c.arguments = append(c.arguments, arguments...)
		}
		if len(f.Rest) > 0 && c.rest == nil {
			c.rest = map[string]jsontext.Value{}
		}
		maps.Copy(c.rest, f.Rest)
	}
}

// find returns the call that f belongs to. Its index identifies it on servers that
// follow OpenAI; some write 0 for every call, so a new ID starts a new call, and some
// write none, so a name starts a new call, unless the chunk before had the same ID.
func (l *callList) find(f *fragment, first bool) *growing {
	if f.Index != nil {
		if c := l.byIndex[*f.Index]; c != nil && (f.ID == "" || c.id == "" || f.ID == c.id) {
			return c
		}
		if l.byIndex == nil {
			l.byIndex = map[int]*growing{}
		}
		c := l.begin()
		l.byIndex[*f.Index] = c
		return c
	}
	if len(l.begun) == 0 {
		return l.begin()
	}
	last := l.begun[len(l.begun)-1]
	same := first && f.ID != "" && f.ID == last.id
	if !same && (f.ID != "" || f.Function.Name != "") {
		return l.begin()
	}
	return last
}

func (l *callList) begin() *growing {
	c := &growing{}
	l.begun = append(l.begun, c)
	return c
}

// finished returns the calls. A call without an ID gets an ID that is unique in the
// conversation, because its result refers to it.
func (l *callList) finished() []functionCall {
	var calls []functionCall
	for i, c := range l.begun {
		call := functionCall{ID: c.id, Type: "function", Rest: c.rest}
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d_%d", l.items, i)
		}
		call.Function.Name = c.name
		call.Function.Arguments = string(c.arguments)
		if call.Function.Arguments == "" {
			call.Function.Arguments = "{}"
		}
		calls = append(calls, call)
	}
	return calls
}
