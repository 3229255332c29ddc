package provider

import (
	"errors"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/internal/lib/textcut"
)

// maxDescription is the maximum length of a function's description for OpenAI, in
// characters. It is not in the reference; the API reports it with the code
// string_above_max_length ("Expected a string with maximum length 1024").
const maxDescription = 1024

// defineOpenAI appends {"type":"function","function":{…}}.
func defineOpenAI(w []byte, d *definition) []byte {
	w = quote(append(w, `{"type":"function","function":{"name":`...), Name(d.Name))
	w = quote(append(w, `,"description":`...), textcut.FitChars(d.Description, maxDescription))
	w = d.jsonSchema(append(w, `,"parameters":`...), anyName)
	return append(w, "}}"...)
}

// readOpenAI returns the calls in message.tool_calls[]: of functions, and of custom tools,
// which cannot run but must be answered. The client answers those of any other type.
func readOpenAI(message []byte) ([]written, error) {
	var list []byte
	whole := false
	for name, value := range jsonwalk.EachMember(message) {
		switch string(key(name)) {
		case "tool_calls":
			list = given(value)
		case "choices":
			whole = true
		}
	}
	if list == nil {
		if whole {
			return nil, errors.New("the message is a whole response; send its choices[0].message")
		}
		return nil, nil
	}
	if kind(list) != '[' {
		return nil, errors.New("tool_calls must be a list; send choices[0].message as it was answered")
	}
	var calls []written
	for _, item := range jsonwalk.EachItem(list) {
		var call written
		var function, custom, typ []byte
		for name, value := range jsonwalk.EachMember(item) {
			switch string(key(name)) {
			case "id":
				call.id = value
			case "type":
				typ = value
			case "function":
				function = given(value)
			case "custom":
				custom = given(value)
			}
		}
		if function == nil && string(key(typ)) == "custom" {
			call.custom, call.problem, function = true, customProblem, custom
		}
		if function == nil && !call.custom && kind(typ) == '"' && string(key(typ)) != "function" {
			continue
		}
		if kind(function) != '{' && !call.custom {
			call.problem = "the call has no function; give it one, with a name and arguments"
		}
		for name, value := range jsonwalk.EachMember(function) {
			switch string(key(name)) {
			case "name":
				call.name = value
			case "arguments":
				call.arguments = value
			}
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// answerOpenAI appends one tool message.
func answerOpenAI(w []byte, c *Call, o *Outcome) []byte {
	w = quote(append(w, `{"role":"tool","tool_call_id":`...), c.ID)
	w = o.quoted(append(w, `,"content":`...), false)
	return append(w, '}')
}

// defineResponses appends {"type":"function",…}. strict is written because its default
// is true, and a strict schema must list every parameter as required.
func defineResponses(w []byte, d *definition) []byte {
	w = quote(append(w, `{"type":"function","name":`...), Name(d.Name))
	w = quote(append(w, `,"description":`...), textcut.FitChars(d.Description, maxDescription))
	w = d.jsonSchema(append(w, `,"parameters":`...), anyName)
	return append(w, `,"strict":false}`...)
}

// readResponses returns the items of response.output[] with type function_call, and those
// with type custom_tool_call, which cannot run but must be answered.
func readResponses(message []byte) ([]written, error) {
	var list []byte
	for name, value := range jsonwalk.EachMember(message) {
		if string(key(name)) == "output" {
			list = value
		}
	}
	if kind(list) != '[' {
		return nil, errors.New("output must be a list; send the whole Response as it was answered")
	}
	var calls []written
	for i, item := range jsonwalk.EachItem(list) {
		if kind(item) != '{' {
			return nil, fmt.Errorf("output[%d] must be an object; send the whole Response as it was answered", i)
		}
		var call written
		function := false
		for name, value := range jsonwalk.EachMember(item) {
			switch string(key(name)) {
			case "type":
				call.custom = string(value) == `"custom_tool_call"`
				function = call.custom || string(value) == `"function_call"`
			case "call_id":
				call.id = value
			case "name":
				call.name = value
			case "arguments":
				call.arguments = value
			case "status":
				if string(value) == `"incomplete"` {
					call.problem = "the call was cut off before it was complete; make it again with less in it"
				}
			}
		}
		if call.custom {
			call.problem = customProblem
		}
		if function {
			calls = append(calls, call)
		}
	}
	return calls, nil
}

// answerResponses appends one function_call_output item, or that of a custom tool.
func answerResponses(w []byte, c *Call, o *Outcome) []byte {
	item := "function_call_output"
	if c.custom {
		item = "custom_tool_call_output"
	}
	w = append(append(append(w, `{"type":"`...), item...), `","call_id":`...)
	w = quote(w, c.ID)
	pictures := o.images()
	if len(pictures) == 0 {
		return append(o.quoted(append(w, `,"output":`...), true), '}')
	}
	w = append(o.quoted(append(w, `,"output":[{"type":"input_text","text":`...), true), '}')
	for _, p := range pictures {
		w = append(append(w, `,{"type":"input_image","detail":"auto","image_url":"data:`...), p.mime...)
		w = append(append(append(w, ";base64,"...), p.data...), `"}`...)
	}
	return append(w, "]}"...)
}
