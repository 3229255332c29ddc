package api

import (
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// maxToken bounds a confirm token, which is sent in the header part of a call.
const maxToken = 16 << 10

// interactive is the priority of a call that sets none.
const interactive = "interactive"

var callFields = []string{"call_id", "tool_call_id", "tool", "arguments", "confirm_token", "timeout_ms", "priority", "wait_for_worker"}

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
		p.req.Calls, p.req.ignoredOf = append(p.req.Calls, dispatch.Call{}), append(p.req.ignoredOf, nil)
		return p.call(i)
	})
}

// call parses one call. It fails only if the body is not JSON.
func (p *parser) call(n int) error {
	c := &p.req.Calls[n]
	var seen, given fields
	err := p.object(func(name []byte) error {
		raw, err := p.value()
		i := slices.Index(callFields, string(name))
		switch {
		case err != nil:
			return err
		case i < 0 && owns(string(name)):
			wrongf(c, "%s", ownedElsewhere(string(name)))
		case i < 0:
			if of := &p.req.ignoredOf[n]; len(*of) < notesMost {
				*of = append(*of, ignoredNote("the call", string(name), callFields))
			}
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

// setField sets one field of a call. An invalid name is left out of the call, because
// the call cannot be identified by it.
func setField(c *dispatch.Call, field string, raw []byte) {
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
		if c.TimeoutMS = timeout.Milliseconds(); timeout > 0 {
			c.TimeoutMS = max(c.TimeoutMS, 1) // 0 is the tool's own time
		}
		return
	case "wait_for_worker":
		if c.Waits = raw[0] == 't'; !c.Waits && raw[0] != 'f' {
			wrongf(c, "wait_for_worker must be true or false")
		}
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
	case "priority":
		switch text {
		case protocol.PriorityBatch:
			c.Priority = text
		case interactive: // the default
		default:
			wrongf(c, "priority must be %q or %q, but it is %.80q", interactive, protocol.PriorityBatch, text)
		}
	}
}

func setTool(c *dispatch.Call, name string) {
	c.Tool = name
	if !tool.ValidName(name) {
		wrongf(c, "%.80q is not a tool's name: a name has letters, digits, underscores and dots and at most %d bytes", name, tool.MaxNameLength)
		c.Tool = textcut.Head(name, tool.MaxNameLength)
	}
}

// wrongf sets the call's Problem, unless it already has one.
func wrongf(c *dispatch.Call, format string, args ...any) {
	if c.Problem == nil {
		c.Problem = tool.Fail(tool.ValidationError, format, args...)
	}
}
