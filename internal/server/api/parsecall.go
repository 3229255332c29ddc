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

// callField is a member of a call, with what sets its value.
type callField struct {
	name string
	set  func(c *dispatch.Call, raw []byte)
}

// callFields are all members of a call: a new one is a line here.
var callFields = []callField{
	{"call_id", ofText("call_id", setID)},
	{"tool_call_id", ofText("tool_call_id", setToolCallID)},
	{"tool", ofText("tool", setTool)},
	{"arguments", setArguments},
	{"confirm_token", ofText("confirm_token", setToken)},
	{"timeout_ms", setTimeout},
	{"priority", ofText("priority", setPriority)},
	{"rerun_of", ofText("rerun_of", setRerunOf)},
	{"wait_for_worker", setWaits},
}

// callNames are the names of callFields.
var callNames = namesOf(callFields)

func namesOf(fields []callField) (names []string) {
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}

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
		i := slices.Index(callNames, string(name))
		switch {
		case err != nil:
			return err
		case i < 0 && owns(string(name)):
			wrongf(c, "%s", ownedElsewhere(string(name)))
		case i < 0:
			if of := &p.req.ignoredOf[n]; len(*of) < notesMost {
				*of = append(*of, ignoredNote("the call", string(name), callNames))
			}
		case seen.add(i):
			wrongf(c, "the call has %q twice", name)
		case raw[0] != 'n':
			given.add(i)
			callFields[i].set(c, raw)
		}
		return nil
	})
	if !given.has(slices.Index(callNames, "tool")) {
		wrongf(c, "the call names no tool; set tool to a tool's name")
	}
	return err
}

// ofText returns what sets a member whose value is a text.
func ofText(name string, set func(c *dispatch.Call, text string)) func(*dispatch.Call, []byte) {
	return func(c *dispatch.Call, raw []byte) {
		text, problem := textOf(raw)
		if problem != "" {
			wrongf(c, "%s %s", name, problem)
			return
		}
		set(c, text)
	}
}

// setID leaves an invalid id out of the call, which cannot be identified by it.
func setID(c *dispatch.Call, text string) {
	if !validName(text, maxCallID) {
		wrongf(c, "call_id must match [A-Za-z0-9_-]{1,%d}, but it is %.80q", maxCallID, text)
		return
	}
	c.ID = text
}

func setToolCallID(c *dispatch.Call, text string) {
	if len(text) > maxToolCallID {
		wrongf(c, "tool_call_id must have at most %d bytes, but it has %d", maxToolCallID, len(text))
		return
	}
	c.ToolCallID = text
}

func setArguments(c *dispatch.Call, raw []byte) {
	args, err := schema.Arguments(raw)
	if err != nil {
		wrongf(c, "%v", err)
		return
	}
	c.Arguments = args
}

func setToken(c *dispatch.Call, text string) {
	if len(text) > maxToken {
		wrongf(c, "confirm_token must have at most %d bytes, but it has %d", maxToken, len(text))
		return
	}
	c.ConfirmToken = text
}

func setTimeout(c *dispatch.Call, raw []byte) {
	timeout, ok := millis(raw)
	if !ok {
		wrongf(c, "timeout_ms must be a number of milliseconds, 0 or more")
	}
	if c.TimeoutMS = timeout.Milliseconds(); timeout > 0 {
		c.TimeoutMS = max(c.TimeoutMS, 1) // 0 is the tool's own time
	}
}

func setPriority(c *dispatch.Call, text string) {
	switch text {
	case protocol.PriorityBatch:
		c.Priority = text
	case interactive: // the default
	default:
		wrongf(c, "priority must be %q or %q, but it is %.80q", interactive, protocol.PriorityBatch, text)
	}
}

func setWaits(c *dispatch.Call, raw []byte) {
	if c.Waits = raw[0] == 't'; !c.Waits && raw[0] != 'f' {
		wrongf(c, "wait_for_worker must be true or false")
	}
}

func setRerunOf(c *dispatch.Call, text string) {
	if !validName(text, maxCallID) {
		wrongf(c, "rerun_of must be the call_id of a call, but it is %.80q", text)
		return
	}
	c.RerunOf = text
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
