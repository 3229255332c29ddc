package dynamic

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// Bounds of one tool.
const (
	maxCode        = 64 << 10 // bytes: the person is shown all of it
	maxSchema      = 64 << 10
	maxDescription = 2000
	maxTitle       = 64
	maxRemark      = 500
	maxHosts       = 100
	maxKeys        = 20
)

var (
	namePattern    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	hostPattern    = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9_.\-\[\]:]{1,253}$`)
	servicePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
)

// Check implements [tool.CustomTools]: it returns all problems together. The code is
// compiled in the sandbox, because compiling processes input from a model.
func (r *Registry) Check(ctx context.Context, call *tool.Call, t tool.CustomTool, isNew bool) error {
	problems := r.problems(call, &t, isNew)
	if len(problems) > 0 {
		return tool.Fail(tool.ValidationError, "%s", strings.Join(problems, "; "))
	}
	err := r.compile(ctx, call, &t)
	if e := tool.AsError(err); err != nil && e.Kind == tool.ValidationError {
		return tool.Fail(tool.ValidationError, "code: %s", e.Msg)
	}
	return err
}

func (r *Registry) compile(ctx context.Context, call *tool.Call, t *tool.CustomTool) error {
	if t.Durable {
		return r.compileDurable(ctx, call, t)
	}
	_, err := r.runner.Run(ctx, sandbox.Job{
		Tenant: call.Tenant, User: call.User, Name: t.Name, Code: t.Code, CompileOnly: true,
		Network: slices.Contains(t.Permissions, permission.Network), Files: slices.Contains(t.Permissions, permission.Filesystem),
	})
	return err
}

func (r *Registry) problems(call *tool.Call, t *tool.CustomTool, isNew bool) []string {
	var found []string
	bad := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if call.User == "" {
		bad("a custom tool belongs to a person, and this call names none; name the user in the context")
	}
	switch {
	case !namePattern.MatchString(t.Name):
		bad("name: must match %s", namePattern)
	case r.taken(call.Tenant, t.Name):
		bad("name: '%s' is the name of a built-in tool; choose another", t.Name)
	case isNew && r.own(call.Tenant, call.User, t.Name) != nil:
		bad("name: you have a tool '%s' already; change it with update_custom_tool, or choose another name", t.Name)
	}
	if n := utf8.RuneCountInString(t.Description); strings.TrimSpace(t.Description) == "" || n > maxDescription {
		bad("description: must say what the tool does, in at most %d characters", maxDescription)
	}
	if err := checkSchema(t.Parameters); err != nil {
		bad("parameters: %s", err)
	}
	if len(t.Code) > maxCode || strings.TrimSpace(t.Code) == "" {
		bad("code: has %d bytes; must have between 1 and %d", len(t.Code), maxCode)
	}
	if names := forbiddenIn(t.Code); names != "" {
		bad("code: %s is not allowed; use args, context, utils and fetch", names)
	}
	for _, p := range t.Permissions {
		if !slices.Contains(permission.Permissions(), p) {
			bad("permissions: '%.64s' is unknown; use %s", p, strings.Join(permission.Permissions(), ", "))
		}
	}
	if !short(t.Category, maxTitle) {
		bad("category: must have at most %d plain characters", maxTitle)
	}
	if t.Risk != "" && !slices.Contains(ranks, t.Risk) {
		bad("risk: must be low, medium or high")
	}
	return append(append(found, checkReach(t)...), r.checkDurable(call, t)...)
}

func checkReach(t *tool.CustomTool) []string {
	var found []string
	bad := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if len(t.Hosts) > maxHosts || len(t.RequiredAPIKeys) > maxKeys {
		bad("at most %d hosts and %d required_api_keys are allowed", maxHosts, maxKeys)
	}
	if len(t.Hosts) > 0 && !slices.Contains(t.Permissions, permission.Network) {
		bad("hosts: they narrow the permission '%s', which is not asked for", permission.Network)
	}
	for _, h := range t.Hosts {
		if !hostPattern.MatchString(h) {
			bad("hosts: '%.80s' is not HOST, *.HOST or HOST:PORT", h)
		}
	}
	for _, k := range t.RequiredAPIKeys {
		if !servicePattern.MatchString(k.Name) {
			bad("required_api_keys: '%.64s' is not the name of a service", k.Name)
		}
		if !short(k.DisplayName, maxTitle) || !short(k.Category, maxTitle) || !short(k.Description, maxRemark) || !short(k.DocsURL, maxRemark) {
			bad("required_api_keys: what is said of '%.64s' must be plain and short: %d characters for names, %d for the rest",
				k.Name, maxTitle, maxRemark)
		}
	}
	return found
}

// short reports whether a text has at most so many characters, none of which moves a
// terminal's cursor.
func short(text string, most int) bool {
	return utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unicode.IsControl)
}

// checkSchema refuses a value that is not the schema of an object.
func checkSchema(raw json.RawMessage) error {
	if len(raw) > maxSchema {
		return fmt.Errorf("has %d bytes, at most %d are allowed", len(raw), maxSchema)
	}
	var top struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &top); err != nil || top.Type != "object" {
		return fmt.Errorf(`must be a JSON Schema with "type": "object"`)
	}
	_, err := schema.Compile(raw)
	return err
}
