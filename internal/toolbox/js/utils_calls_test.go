package js

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestUtilsListTools(t *testing.T) {
	t.Parallel()
	answer :=
		`[{"name": "add_task", "description": "Adds.", "category": "Tasks", "parameters": {"type": "object", "properties": {"b": {}, "a": {}}}}]`
	host := hostFunc(func(op Op, args string) (string, error) {
		if op != OpTools || args != "null" {
			return "", tool.Fail(tool.Internal, "asked for %s %s", op, args)
		}
		return answer, nil
	})
	cases{
		{
			"utils.listTools()",
			`[{"name":"add_task","description":"Adds.","category":"Tasks","parameters":{"type":"object","properties":{"b":{},"a":{}}}}]`,
		},
		{"Array.isArray(utils.listTools()) && utils.listTools().filter((t) => t.category === 'Tasks').length", "1"},
		{"((JSON.parse = 1), utils.listTools().length)", "1"},
	}.run(t, host)
	answer = "null"
	cases{{"utils.listTools()", "[]"}}.run(t, host)
	answer = strings.Repeat("[", 20000)
	cases{
		{"(() => { try { utils.listTools() } catch (e) { return e.error_type + ': ' + e.message } })()", "internal: the answer cannot be read"},
	}.run(t, host)
}

func TestUtilsCallTool(t *testing.T) {
	t.Parallel()
	host := hostFunc(func(op Op, args string) (string, error) {
		switch {
		case op != OpCall:
			return "", tool.Fail(tool.Internal, "asked for %s", op)
		case args == `{"name":"fails","args":{}}`:
			return "", tool.Fail(tool.ConfirmationRequired, "a person must say yes")
		}
		return `{"got": ` + args + `}`, nil
	})
	for _, tt := range []struct{ body, want string }{
		{"return await utils.callTool('t', {b: 1, a: ['é', null]})", `{"got":{"name":"t","args":{"b":1,"a":["é",null]}}}`},
		{"return await utils.callTool('t')", `{"got":{"name":"t","args":{}}}`},
		{"return (await Promise.all([1, 2, 3].map((n) => utils.callTool('t', {n})))).map((v) => v.got.args.n)", "[1,2,3]"},
		{
			"return utils.callTool('fails', null).catch((e) => [e instanceof Error, e.error_type, e.message])",
			`[true,"confirmation_required","a person must say yes"]`,
		},
		{"return utils.callTool('').catch((e) => [e.name, e.message])", `["TypeError","utils.callTool: name must be the name of a tool"]`},
		{"return utils.callTool('t', [1]).catch((e) => [e.name, e.message])", `["TypeError","utils.callTool: args must be an object"]`},
		{"return utils.callTool('t', 'x').catch((e) => e.name)", `"TypeError"`},
		{"return utils.callTool('t', {toJSON() {}}).catch((e) => e.name)", `"TypeError"`},
		{"const o = {}; o.o = o; return utils.callTool('t', o).catch((e) => e.name)", `"TypeError"`},
		{"return utils.callTool('t', {n: 1n}).catch((e) => e.name)", `"TypeError"`},
	} {
		p, err := CompileBody("t", tt.body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Run(t.Context(), &Task{Program: p, Args: []byte("{}"), Host: host})
		if err != nil || string(got) != tt.want {
			t.Errorf("%s = %s, %v, want %s", tt.body, got, err, tt.want)
		}
	}
}
