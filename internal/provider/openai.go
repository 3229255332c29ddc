package provider

import (
	"errors"
	"fmt"
)

// maxDescription is what OpenAI takes of a function's description, in characters. The
// reference does not say so; the API does, with the code string_above_max_length
// ("Expected a string with maximum length 1024").
const maxDescription = 1024

// defineOpenAI appends {"type":"function","function":{…}}.
func defineOpenAI(w []byte, d *definition) []byte {
	w = quote(append(w, `{"type":"function","function":{"name":`...), Name(d.Name))
	w = quote(append(w, `,"description":`...), clip(d.Description, maxDescription))
	w = d.jsonSchema(append(w, `,"parameters":`...), anyName)
	return append(w, "}}"...)
}

// readOpenAI finds message.tool_calls[].function. A call that has no function and says
// that it is of another type is one of the client's own custom tools.
func readOpenAI(message []byte) ([]written, error) {
	var list []byte
	whole := false
	for name, value := range members(message) {
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
	for _, item := range elements(list) {
		var call written
		var function, typ []byte
		for name, value := range members(item) {
			switch string(key(name)) {
			case "id":
				call.id = value
			case "type":
				typ = value
			case "function":
				function = given(value)
			}
		}
		if function == nil && kind(typ) == '"' && string(key(typ)) != "function" {
			continue
		}
		if kind(function) != '{' {
			call.problem = "the call has no function; give it one, with a name and arguments"
		}
		for name, value := range members(function) {
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
	w = o.quoted(append(w, `,"content":`...))
	return append(w, '}')
}

// defineResponses appends {"type":"function",…}. strict is said because it is true
// where it is left out, and a strict schema must name every parameter as required.
func defineResponses(w []byte, d *definition) []byte {
	w = quote(append(w, `{"type":"function","name":`...), Name(d.Name))
	w = quote(append(w, `,"description":`...), clip(d.Description, maxDescription))
	w = d.jsonSchema(append(w, `,"parameters":`...), anyName)
	return append(w, `,"strict":false}`...)
}

// readResponses finds response.output[] of type function_call.
func readResponses(message []byte) ([]written, error) {
	var list []byte
	for name, value := range members(message) {
		if string(key(name)) == "output" {
			list = value
		}
	}
	if kind(list) != '[' {
		return nil, errors.New("output must be a list; send the whole Response as it was answered")
	}
	var calls []written
	for i, item := range elements(list) {
		if kind(item) != '{' {
			return nil, fmt.Errorf("output[%d] must be an object; send the whole Response as it was answered", i)
		}
		var call written
		function := false
		for name, value := range members(item) {
			switch string(key(name)) {
			case "type":
				function = string(value) == `"function_call"`
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
		if function {
			calls = append(calls, call)
		}
	}
	return calls, nil
}

// answerResponses appends one function_call_output item.
func answerResponses(w []byte, c *Call, o *Outcome) []byte {
	w = quote(append(w, `{"type":"function_call_output","call_id":`...), c.ID)
	w = o.quoted(append(w, `,"output":`...))
	return append(w, '}')
}
