package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// draft is an entry while it is parsed, with all its problems.
type draft struct {
	Entry
	given              map[string]string // field -> its spelling in the file
	problems, warnings []string
}

// The defaults of a manifest.
const (
	Category = "JavaScript"
	Group    = "js"

	// single is the function of a tool that has a file of its own.
	single         = "execute"
	timeoutSeconds = 30
)

func newDraft(index int) *draft {
	return &draft{
		Entry: Entry{Index: index, Env: []string{}, Definition: tool.Definition{
			Category: Category, Group: Group, Version: "1", Parameters: json.RawMessage(`{"type":"object","properties":{}}`), Risk: tool.Low,
			Confirmation: tool.ConfirmIfDestructive,
			Mutates:      true, TimeoutSeconds: timeoutSeconds, Pool: "default", Kind: tool.KindJS, Enabled: true,
			Scopes: tool.Scopes{Paths: []string{}, Hosts: []string{}, Apps: []string{}}, RequiredPermissions: []string{}, Tags: []string{},
		}},
		given: map[string]string{},
	}
}

func (d *draft) failf(format string, args ...any) {
	d.problems = append(d.problems, fmt.Sprintf(format, args...))
}

func (d *draft) warnf(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// The forms of names that become part of something else: of subjects, or of source
// code.
var (
	namePattern     = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	functionPattern = regexp.MustCompile(`^[a-zA-Z_$][a-zA-Z0-9_$]*$`)
	envPattern      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	poolPattern     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// CheckName returns the problem of a tool's name, or nil.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("name is missing")
	case len(name) > tool.MaxNameLength || !namePattern.MatchString(name):
		return fmt.Errorf("name %q must match %s and have at most %d characters", clip(name), namePattern, tool.MaxNameLength)
	}
	return nil
}

// finish checks the entry as a whole. A single tool must have the name of its file; for
// a tool of a group that is empty.
func (d *draft) finish(file string) {
	if d.given == nil {
		return // it was not an object, which was reported
	}
	def := &d.Definition
	if err := CheckName(def.Name); err != nil && d.sound("name") {
		d.failf("%s", err)
	} else if err == nil && file != "" && def.Name != file {
		d.failf("name %q must be that of the file, %q; an array of tools may have other names", clip(def.Name), clip(file))
	}
	d.checkFunction(file != "")
	if def.Kind != tool.KindJS {
		d.failf("kind is %q; a tool of a tools directory is %q", clip(def.Kind), tool.KindJS)
	}
	d.durable()
	d.check(CheckName(def.Name) == nil)
}

// check checks the parts that every definition has. It does not report an invalid name
// again.
func (d *draft) check(named bool) {
	def := &d.Definition
	d.checkLists()
	longest := float64(maxTimeout)
	if def.Durable {
		longest = mostDurable
	}
	if def.TimeoutSeconds > longest {
		d.failf("timeout_seconds is %v, at most %v are allowed", def.TimeoutSeconds, longest)
	}
	if !poolPattern.MatchString(def.Pool) {
		d.failf("pool %q must match %s", clip(def.Pool), poolPattern)
	}
	if err := scope.Check(def.Scopes); err != nil {
		d.failAll("scopes: ", err)
	}
	d.compile()
	checked := *def
	if !named {
		checked.Name = single // the problem of the name was reported
	}
	if _, err := tool.New(checked, 0, nil); err != nil {
		d.failAll("", fmt.Errorf("%s", strings.TrimPrefix(err.Error(), fmt.Sprintf("tool %q: ", checked.Name))))
	}
}

// maxTimeout is a day, in seconds.
const maxTimeout = 24 * 60 * 60

func (d *draft) checkFunction(alone bool) {
	switch f := d.Function; {
	case !d.sound("function"):
	case alone && (f == "" || f == single):
		d.Function = single
	case alone:
		d.failf("function is %q, but a single tool runs %s; make the manifest an array to name another", clip(f), single)
	case d.given["function"] == "":
		d.failf("function is missing: which function of the script runs the tool?")
	case !functionPattern.MatchString(f):
		d.failf("function %q must match %s", clip(f), functionPattern)
	}
}

func (d *draft) checkLists() {
	for i, name := range d.Env {
		if !envPattern.MatchString(name) {
			d.failf("env[%d]: %q must match %s", i, clip(name), envPattern)
		}
		if slices.Contains(d.Env[:i], name) {
			d.failf("env[%d]: %s is there already", i, clip(name))
		}
	}
	if slices.Contains(d.Definition.Tags, "") {
		d.failf("tags has an empty string")
	}
	if slices.Contains(d.Definition.RequiredPermissions, "") {
		d.failf("required_permissions has an empty string")
	}
}

// compile builds a schema of an object from the parameters and compiles it.
func (d *draft) compile() {
	def := &d.Definition
	if !d.sound("parameters") {
		return
	}
	def.Parameters = typed(def.Parameters)
	var options []schema.Option
	if def.Limit != nil {
		options = append(options, schema.Free(def.Limit.Param))
	}
	s, err := schema.Compile(def.Parameters, options...)
	if err != nil {
		d.failf("parameters: %s", strings.TrimPrefix(err.Error(), "schema: "))
	}
	d.Schema = s
	var result struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(def.ResultSchema, &result) == nil && result.Type == "object" {
		if _, err := schema.Compile(def.ResultSchema); err != nil {
			d.failf("result_schema: %s", strings.TrimPrefix(err.Error(), "schema: "))
		}
	}
}

// typed adds "type": "object" to a schema that has no type, so that a short manifest
// may omit it.
func typed(raw json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members["type"] != nil {
		return raw
	}
	head := []byte(`{"type":"object"`)
	if len(members) > 0 {
		head = append(head, ',')
	}
	return append(head, bytes.TrimPrefix(raw, []byte("{"))...)
}

// failAll reports each line of a joined error.
func (d *draft) failAll(prefix string, err error) {
	for line := range strings.Lines(err.Error()) {
		d.failf("%s%s", prefix, strings.TrimSuffix(line, "\n"))
	}
}

// maxReported limits the problems of one entry, and its warnings.
const maxReported = 20

func (d *draft) report(file string) []Problem {
	var all []Problem
	add := func(list []string, warning bool) {
		if more := len(list) - maxReported; more > 0 {
			list = append(slices.Clip(list[:maxReported]), fmt.Sprintf("and %d more", more))
		}
		for _, reason := range list {
			p := Problem{File: file, Tool: d.Definition.Name, Reason: reason, Warning: warning}
			if d.Index != Whole {
				p.Entry = &d.Index
			}
			all = append(all, p)
		}
	}
	add(d.problems, false)
	add(d.warnings, true)
	return all
}
