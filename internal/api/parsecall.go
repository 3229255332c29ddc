package api

import (
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/dispatcher"
	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/tool"
)

// maxToken bounds a confirm token, which travels in the header part of a call.
const maxToken = 16 << 10

var callFields = []string{"call_id", "tool_call_id", "tool", "arguments", "confirm_token", "timeout_ms"}

func (p *parser) calls() error {
	if p.peek() != '[' {
		return p.not("calls", "an array")
	}
	return p.array(func(i int) error {
		if i == p.limits.Calls {
			return TooLarge("calls has more than %d elements; send them in several requests", p.limits.Calls)
		}
		if p.peek() != '{' {
			return p.not(fmt.Sprintf("calls[%d]", i), "an object")
		}
		p.req.Calls = append(p.req.Calls, dispatcher.Call{})
		return p.call(&p.req.Calls[i])
	})
}

// call reads one call. It fails only where the body is not JSON.
func (p *parser) call(c *dispatcher.Call) error {
	var seen, given fields
	err := p.object(func(name []byte) error {
		raw, err := p.value()
		i := slices.Index(callFields, string(name))
		switch {
		case err != nil || i < 0:
			return err
		case seen.add(i):
			wrongf(c, "the call has %q twice", name)
		case raw[0] != 'n':
			given.add(i)
			setField(c, callFields[i], raw)
		}
		return nil
	})
	if !given.has(slices.Index(callFields, "tool")) {
		wrongf(c, "the call names no tool; set tool to a tool's name")
	}
	return err
}

// setField takes one field of a call. What the call cannot be known by, because
// it breaks the rules for names, is left out of it.
func setField(c *dispatcher.Call, field string, raw []byte) {
	switch field {
	case "arguments":
		args, err := schema.Arguments(raw)
		if err != nil {
			wrongf(c, "%v", err)
			return
		}
		c.Arguments = args
		return
	case "timeout_ms":
		timeout, ok := millis(raw)
		if !ok {
			wrongf(c, "timeout_ms must be a number of milliseconds, 0 or more")
		}
		c.Timeout = timeout
		return
	}
	text, problem := textOf(raw)
	if problem != "" {
		wrongf(c, "%s %s", field, problem)
		return
	}
	switch field {
	case "call_id":
		if !validName(text, maxCallID) {
			wrongf(c, "call_id must match [A-Za-z0-9_-]{1,%d}, but it is %.80q", maxCallID, text)
			return
		}
		c.ID = text
	case "tool_call_id":
		if len(text) > maxToolCallID {
			wrongf(c, "tool_call_id must have at most %d bytes, but it has %d", maxToolCallID, len(text))
			return
		}
		c.ToolCallID = text
	case "tool":
		setTool(c, text)
	case "confirm_token":
		if len(text) > maxToken {
			wrongf(c, "confirm_token must have at most %d bytes, but it has %d", maxToken, len(text))
			return
		}
		c.ConfirmToken = text
	}
}

func setTool(c *dispatcher.Call, name string) {
	c.Tool = name
	if !tool.ValidName(name) {
		wrongf(c, "%.80q is not a tool's name: a name has letters, digits, underscores and dots and at most %d bytes", name, tool.MaxNameLength)
		c.Tool = cut(name, tool.MaxNameLength)
	}
}

// wrongf ends the call with the first thing that is wrong with it.
func wrongf(c *dispatcher.Call, format string, args ...any) {
	if c.Problem == nil {
		c.Problem = tool.Fail(tool.ValidationError, format, args...)
	}
}
