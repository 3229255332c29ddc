package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

const (
	// MaxCalls is the maximum number of calls in one message. Models make a few, and
	// some clients combine two hundred; no model writes more than this.
	MaxCalls = 1000

	maxID = 256 // bytes of a call's ID (docs/protocol.md, Names)
)

// Call is one call of a tool, as a model wrote it.
type Call struct {
	// ID is the provider's ID of the call, at most 256 bytes; generated if the provider
	// gave none, and empty if the format does not need it ([Gemini]).
	ID string
	// Name is the tool's name as the model wrote it, empty if missing.
	Name string
	// Arguments is a JSON object that passed [schema.Arguments], or nil. It may share
	// memory with the message.
	Arguments json.RawMessage
	// custom is set for a call of a custom tool, whose answer has a form of its own.
	custom bool
	// Problem is the reason why the call cannot run, nil if it can: a validation_error.
	Problem *tool.Error
}

// written is a call in a message: the JSON text of its parts, nil for missing parts.
type written struct {
	id, name, arguments []byte
	problem             string // an error found by the format
	custom              bool   // it is a call of a custom tool
}

// Calls parses a model's own message:
//
//   - [OpenAI]: choices[0].message
//   - [Responses]: the whole Response
//   - [Anthropic]: the Message
//   - [Gemini]: candidates[0].content
//
// The calls are in the order of the message; there may be none. The error describes
// what is wrong with the message as a whole, and what to send.
func (f Format) Calls(message json.RawMessage) ([]Call, error) {
	d, err := f.talk()
	if err != nil {
		return nil, err
	}
	if err := check(message); err != nil {
		return nil, fmt.Errorf("the message is not JSON: %w", err)
	}
	message = trimmed(message)
	if kind(message) != '{' {
		return nil, fmt.Errorf("the message must be an object, as %s answered it", f)
	}
	list, err := d.read(message)
	if err != nil {
		return nil, err
	}
	if len(list) > MaxCalls {
		return nil, fmt.Errorf("the message has %d calls; at most %d are read", len(list), MaxCalls)
	}
	calls := make([]Call, len(list))
	for i := range list {
		calls[i] = list[i].call()
	}
	if d.needsID {
		nameCalls(calls)
	}
	return calls, nil
}

// call validates what was written.
func (w *written) call() Call {
	c := Call{custom: w.custom}
	c.wrong(w.problem)
	if id := given(w.id); id != nil {
		text, ok := textOf(id)
		switch {
		case !ok:
			c.wrong("the call's id must be text")
		case len(text) > maxID:
			c.wrong(fmt.Sprintf("the call's id has %d bytes; at most %d are taken", len(text), maxID))
		default:
			c.ID = text
		}
	}
	name, ok := textOf(w.name)
	if !ok || name == "" {
		c.wrong("the call names no tool; give the name of one")
	}
	c.Name = name
	object, err := schema.Arguments(w.arguments)
	switch {
	case err == nil:
		c.Arguments = object
	case cutOff(w.arguments):
		c.wrong("the arguments end in the middle, as they do when an answer is cut off at its limit of tokens; " +
			"make the call again with less in it")
	default:
		c.wrong(err.Error())
	}
	return c
}

// wrong sets the call's Problem, unless it already has one.
func (c *Call) wrong(problem string) {
	if c.Problem == nil && problem != "" {
		c.Problem = tool.Fail(tool.ValidationError, "%s", problem)
	}
}

// cutOff reports whether arguments that are not JSON could be the beginning of JSON.
func cutOff(arguments []byte) bool {
	if kind(arguments) == '"' {
		arguments = key(arguments)
	}
	_, err := jsontext.NewDecoder(bytes.NewReader(arguments), lenient...).ReadValue()
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// nameCalls generates missing IDs: call_0 for the first call of the message and so on,
// or a longer one if the message already has that ID.
func nameCalls(calls []Call) {
	var taken map[string]bool
	for i := range calls {
		if calls[i].ID != "" {
			continue
		}
		if taken == nil {
			taken = make(map[string]bool, len(calls))
			for _, c := range calls {
				taken[c.ID] = true
			}
		}
		id := "call_" + strconv.Itoa(i)
		for taken[id] {
			id += "_"
		}
		taken[id] = true
		calls[i].ID = id
	}
}

// customProblem answers the call of a custom tool. No definition of ours makes one, but a
// call without an answer makes the provider refuse the conversation.
const customProblem = "tools here are functions and not custom tools: call the function of that name, with an object of arguments"
