package provider

import (
	"errors"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// defineAnthropic appends {"name","description","input_schema"}.
func defineAnthropic(w []byte, d *definition) []byte {
	w = quote(append(w, `{"name":`...), Name(d.Name))
	w = quote(append(w, `,"description":`...), d.Description)
	w = d.jsonSchema(append(w, `,"input_schema":`...), anthropicName)
	return append(w, '}')
}

// anthropicName reports whether Anthropic accepts a parameter of that name. It refuses
// others with "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'".
func anthropicName(name []byte) bool {
	for _, c := range name {
		if !plain(c) && c != '.' && c != '-' {
			return false
		}
	}
	return 0 < len(name) && len(name) <= 64
}

// plain reports whether c is an ASCII letter, a digit or an underscore.
func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// readAnthropic returns the tool_use blocks of message.content[]. If the message
// stopped at its token limit, a tool_use at its very end was cut off, even if it looks
// complete; writing half a file would be worse than asking again.
func readAnthropic(message []byte) ([]written, error) {
	var list []byte
	cut := false
	for name, value := range jsonwalk.EachMember(message) {
		switch string(key(name)) {
		case "content":
			list = value
		case "stop_reason":
			cut = string(value) == `"max_tokens"` || string(value) == `"model_context_window_exceeded"`
		}
	}
	if kind(list) != '[' {
		return nil, errors.New("content must be a list of blocks; send the Message as it was answered")
	}
	var calls []written
	last := false // the last block is a call
	for i, block := range jsonwalk.EachItem(list) {
		if kind(block) != '{' {
			return nil, fmt.Errorf("content[%d] must be an object; send the Message as it was answered", i)
		}
		var call written
		last = false
		for name, value := range jsonwalk.EachMember(block) {
			switch string(key(name)) {
			case "type":
				last = string(value) == `"tool_use"`
			case "id":
				call.id = value
			case "name":
				call.name = value
			case "input":
				call.arguments = value
			}
		}
		if last {
			calls = append(calls, call)
		}
	}
	if cut && last {
		calls[len(calls)-1].problem = "the call was cut off at the limit of tokens; make it again with less in it"
	}
	return calls, nil
}

// answerAnthropic appends one tool_result block.
func answerAnthropic(w []byte, c *Call, o *Outcome) []byte {
	w = quote(append(w, `{"type":"tool_result","tool_use_id":`...), c.ID)
	if pictures := o.images(); len(pictures) == 0 {
		w = o.quoted(append(w, `,"content":`...), true)
	} else {
		w = append(o.quoted(append(w, `,"content":[{"type":"text","text":`...), true), '}')
		for _, p := range pictures {
			w = append(append(w, `,{"type":"image","source":{"type":"base64","media_type":"`...), p.mime...)
			w = append(append(append(w, `","data":"`...), p.data...), `"}}`...)
		}
		w = append(w, ']')
	}
	if o.Status == "error" {
		w = append(w, `,"is_error":true`...)
	}
	return append(w, '}')
}
