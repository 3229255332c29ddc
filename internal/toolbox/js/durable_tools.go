package js

import (
	"encoding/json"
	"strings"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// tools creates the object whose every property is a tool, or the beginning of dotted names.
// The names are not known here: an unknown one is an error of its call. A proxy over a
// frozen object needs no other traps, because nothing can be set, defined or deleted there.
func (c *coroutine) tools() goja.Value {
	target := c.r.vm.NewObject()
	c.r.freeze(target)
	return c.r.vm.ToValue(c.r.vm.NewProxy(target, &goja.ProxyTrapConfig{
		Get: func(target *goja.Object, name string, _ goja.Value) goja.Value {
			if notTools[name] {
				return orUndefined(target.Get(name))
			}
			return c.tool(name)
		},
	}))
}

// notTools lists names that the language itself looks up: with a function then, an object
// would be a promise; with toJSON, to print it would call a tool. A tool of such a name can be
// called by its complete dotted name only.
var notTools = map[string]bool{
	"then": true, "toJSON": true, "toString": true, "valueOf": true, "constructor": true, "prototype": true, "__proto__": true,
	"toLocaleString": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true,
}

// ofFunctions lists further such names of a function.
var ofFunctions = map[string]bool{"call": true, "apply": true, "bind": true}

// tool returns the function that calls the tool of that name. Its properties are the tools
// whose names begin with it and a dot.
func (c *coroutine) tool(name string) goja.Value {
	if v, ok := c.proxies[name]; ok {
		return v
	}
	target := c.r.vm.ToValue(func(goja.FunctionCall) goja.Value { return goja.Undefined() }).ToObject(c.r.vm)
	for _, own := range target.GetOwnPropertyNames() { // a proxy must show those of a frozen target
		_ = target.Delete(own)
	}
	c.r.freeze(target)
	v := c.r.vm.ToValue(c.r.vm.NewProxy(target, &goja.ProxyTrapConfig{
		Get: func(target *goja.Object, property string, _ goja.Value) goja.Value {
			if notTools[property] || ofFunctions[property] {
				return orUndefined(target.Get(property))
			}
			return c.tool(name + "." + property)
		},
		Apply: func(_ *goja.Object, _ goja.Value, args []goja.Value) goja.Value { return c.callTool(name, args) },
	}))
	c.proxies[name] = v
	return v
}

func orUndefined(v goja.Value) goja.Value {
	if v == nil {
		return goja.Undefined()
	}
	return v
}

// callTool makes the step of a call.
func (c *coroutine) callTool(name string, args []goja.Value) goja.Value {
	if name = strings.ToValidUTF8(name, "\uFFFD"); len(name) > maxToolName {
		panic(c.r.failure(tool.Fail(tool.ValidationError, "tools.%s…: the name is longer than that of any tool", cut(name, 40))))
	}
	if len(args) == 0 || goja.IsUndefined(args[0]) {
		return c.call(name, "{}", false)
	}
	text, err := c.json(args[0], "the arguments of tools."+name)
	if err == nil && !strings.HasPrefix(text, "{") {
		err = tool.Fail(tool.ValidationError, "the arguments of tools.%s must be one object, as in tools.%s({name: value})", name, name)
	}
	if err != nil {
		panic(c.r.failure(err))
	}
	return c.call(name, text, false)
}

// json encodes a value of the code, or returns a validation_error.
func (c *coroutine) json(v goja.Value, what string) (string, error) {
	out, err := c.r.stringify(goja.Undefined(), v)
	if thrown, ok := err.(*goja.Exception); ok { //nolint:errorlint // goja wraps it in nothing
		return "", tool.Fail(tool.ValidationError, "%s cannot be encoded as JSON: %s", what, c.r.describe(thrown.Value()))
	}
	if err != nil {
		return "", c.r.explain(err)
	}
	text, ok := out.(goja.String)
	if !ok {
		return "", tool.Fail(tool.ValidationError, "%s have no form in JSON", what)
	}
	s := text.String()
	if deep(s) {
		return "", tool.Fail(tool.ValidationError, "%s nest too deeply", what)
	}
	if half := halfCharacter(s); half != "" {
		return "", tool.Fail(tool.ValidationError,
			"%s hold %s, half of a surrogate pair, which is no character; cut texts with Array.from(text)", what, half)
	}
	return s, nil
}

// question is the form of the arguments of ask_user.
type question struct {
	Question string          `json:"question"`
	Schema   json.RawMessage `json:"schema,omitempty"`
}

// askTool is the tool behind program.ask.
const askTool = "ask_user"

// ask implements program.ask(question, schema?). A person fills in a form, so a schema that is
// not that of an object becomes its field answer.
func (c *coroutine) ask(call goja.FunctionCall) goja.Value {
	text, ok := call.Argument(0).(goja.String)
	if !ok || strings.TrimSpace(text.String()) == "" {
		panic(c.r.failure(tool.Fail(tool.ValidationError, "program.ask needs a question, as in program.ask(\"Which one?\")")))
	}
	q := question{Question: text.String()}
	bare := true
	if v := call.Argument(1); !missing(v) {
		schema, err := c.json(v, "the schema of program.ask")
		if err != nil {
			panic(c.r.failure(err))
		}
		var form map[string]json.RawMessage
		if json.Unmarshal([]byte(schema), &form) != nil || len(form) == 0 {
			panic(c.r.failure(tool.Fail(tool.ValidationError,
				`the schema of program.ask must be a JSON Schema, as in program.ask("Which one?", {type: "string", enum: ["a", "b"]})`)))
		}
		if bare = string(form["type"]) != `"object"`; bare {
			schema = `{"type":"object","properties":{"answer":` + schema + `},"required":["answer"]}`
		}
		q.Schema = json.RawMessage(schema)
	}
	raw, err := json.Marshal(q)
	if err != nil {
		panic(c.r.failure(tool.Fail(tool.ValidationError, "the question cannot be encoded").Because(err)))
	}
	return c.call(askTool, string(raw), bare)
}
