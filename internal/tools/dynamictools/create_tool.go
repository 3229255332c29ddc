package dynamictools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type createArgs struct {
	Name            string                `json:"name" doc:"The tool's name: lower-case letters, digits and underscores." min:"1" max:"64"`
	Description     string                `json:"description" doc:"What the tool does, when to use it and what it returns." min:"1"`
	Parameters      schemaText            `json:"parameters,omitempty" doc:"JSON Schema of the arguments: an object schema, as a string or as it is. Required; inputSchema is another name of it."`
	InputSchema     schemaText            `json:"inputSchema,omitempty" doc:"The same as parameters; give one of the two."`
	Code            string                `json:"code" doc:"JavaScript: the body of an async function of args, context and utils (with durable: of args, tools and program), not a function. What it returns is the result. fetch needs the permission network, fs (readFile, writeFile, appendFile, exists, list, remove) filesystem; there are no modules and no timers. utils has:\n  tools: callTool(name, args), listTools()\n  services: getApiKey, getServiceConfig, getConfigEntry, getConfigEntries, getFieldValue\n  data: parseJson, toJson, parseCsv, flatten, getPath\n  arrays: unique, chunk, shuffle, sample, groupBy\n  text: slugify, camelCase, snakeCase, kebabCase, titleCase, truncate, countWords, removeDiacritics\n  numbers: sum, avg, round, clamp, randomInt\n  dates: now, timestamp, formatDate, dateAdd, dateDiff\n  encoding: base64Encode, base64Decode, urlEncode, urlDecode, hexEncode, hexDecode, hash, uuid, generatePassword\n  checks: isEmail, isUrl, isJson, isUuid" min:"1"`
	Category        string                `json:"category,omitempty" doc:"Heading under which people find it." max:"64"`
	Permissions     []string              `json:"permissions,omitempty" doc:"What the code may do: network, filesystem, database, shell, email, scheduling, local. Without any it computes only."`
	RequiredAPIKeys []tool.RequiredAPIKey `json:"required_api_keys,omitempty" doc:"Services whose configured entries the code may read."`
	Hosts           []string              `json:"hosts,omitempty" doc:"With network: the only hosts it may reach, as HOST, *.HOST or HOST:PORT."`
	Durable         bool                  `json:"durable,omitempty" doc:"Makes it a program: the code is the body of an async function of args, tools and program, as that of run_program, which calls tools, waits for people and times, and survives crashes. It has no utils, fetch and fs, and no permissions."`
	Tools           []string              `json:"tools,omitempty" doc:"With durable: the tools that the code may call, as names or as patterns that end in *; without it none. Risk and reach of the tool follow from them."`
	TimeoutSeconds  float64               `json:"timeout_seconds,omitempty" doc:"With durable: how long a run may take in all, waits included; an hour if absent, at most 30 days." min:"1" max:"2592000"`
	Limits          tool.CustomLimits     `json:"limits,omitzero" doc:"Tighter bounds of one run than the usual 30 s, 5 s of CPU, 50 MB and 1 MB."`
	Risk            tool.Risk             `json:"risk,omitempty" enum:"low,medium,high" doc:"Raises the risk that follows from the permissions, or from the tools; it cannot lower it."`
}

func (a createArgs) tool() tool.CustomTool {
	return tool.CustomTool{
		Name: a.Name, Description: a.Description, Category: a.Category,
		Parameters: json.RawMessage(cmp.Or(a.Parameters, a.InputSchema)), Code: unfenced(a.Code), Permissions: a.Permissions, Hosts: a.Hosts,
		RequiredAPIKeys: a.RequiredAPIKeys, Limits: a.Limits, Risk: a.Risk, Durable: a.Durable, Tools: a.Tools, TimeoutSeconds: a.TimeoutSeconds,
	}
}

type createResult struct {
	Message     string `json:"message"`
	ToolID      string `json:"toolId"`
	Name        string `json:"name"`
	Status      string `json:"status" enum:"active,disabled"`
	Description string `json:"description"`
	Version     int    `json:"version"`
}

var _ = tool.Add(Set, tool.Spec[createArgs, createResult]{
	Name: "create_tool",
	Description: "Make a new reusable tool out of JavaScript code, which runs in a sandbox, when no tool there is does the job, " +
		"with helpers for tools, services, data, arrays, text, numbers, dates, encoding and checks in utils, and return its id and status.",
	Tags:                 []string{"tool create", "custom tool", "new tool"},
	Risk:                 tool.Medium,
	RequiresConfirmation: true,
	Mutates:              true,
	Verbatim:             []string{"code", "parameters", "inputSchema", "required_api_keys", "tools"},
	Loose:                []string{"parameters", "inputSchema"},
	Errors:               []tool.Kind{tool.NotConfigured, tool.ExecutionError}, // of the sandbox that compiles the code
	Example:              `{"name":"split_bill","description":"Split a bill evenly; returns what each person pays, rounded up to cents.","parameters":"{\"type\":\"object\",\"properties\":{\"total\":{\"type\":\"number\"},\"people\":{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"total\",\"people\"]}","code":"return Math.ceil(args.total * 100 / args.people) / 100","category":"Money"}`,
	Needs:                tool.NeedCustomTools,
	Timeout:              20 * time.Second,
	Check: func(ctx context.Context, call *tool.Call, args createArgs) error {
		if err := oneSchema(args.Parameters, args.InputSchema, true); err != nil {
			return err
		}
		return call.CustomTools.Check(ctx, call, args.tool(), true)
	},
	Run: func(ctx context.Context, call *tool.Call, args createArgs) (createResult, error) {
		t, err := call.CustomTools.Create(ctx, call, args.tool())
		if err != nil {
			return createResult{}, err
		}
		return createResult{
			Message: fmt.Sprintf("Tool '%s' was created; call it by its name, or with use_tool.", t.Name) + undeclared(&t),
			ToolID:  t.ID, Name: t.Name, Status: status(&t), Description: t.Description, Version: t.Version,
		}, nil
	},
})
