package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

// MaxGroup is the maximum number of tools in one file.
const MaxGroup = 50

// Whole is the Index of a tool that has a file of its own.
const Whole = -1

// Entry is one tool of a manifest.
type Entry struct {
	// Index is the entry's index in its group, from 0, or [Whole].
	Index int
	// Definition is complete, with all defaults filled in.
	Definition tool.Definition
	// Function is the function of the script to run.
	Function string
	// Env lists the values that the operator sets for the tool.
	Env []string
	// Stated are the parts of the definition that the file states, which it may state too low.
	Stated Stated
	// Schema is the compiled schema of the definition's parameters, as the engine needs
	// it.
	Schema *schema.Schema
}

// Parse parses the manifest with that file name ("weather.json"); a single tool must
// have this name without its ending. It returns the valid entries in their order, and
// every problem of the file and of the others.
func Parse(file string, data []byte) ([]Entry, []Problem) {
	whole := func(warning bool, format string, args ...any) []Problem {
		return []Problem{{File: file, Reason: fmt.Sprintf(format, args...), Warning: warning}}
	}
	data = []byte(strings.TrimPrefix(string(data), "\ufeff"))
	if err := schema.Strict(data); err != nil {
		return nil, whole(false, "%s%s", err, place(data))
	}
	switch kind := jsontext.Value(data).Kind(); kind {
	case '{':
		d := newDraft(Whole)
		d.read(data)
		d.finish(strings.TrimSuffix(path.Base(file), ".json"))
		return collect(file, []*draft{d})
	case '[':
		var group []json.RawMessage
		if err := json.Unmarshal(data, &group); err != nil {
			return nil, whole(false, "not valid JSON: %s", err)
		}
		if len(group) == 0 {
			return nil, whole(true, "the group is empty; it holds no tool")
		}
		if len(group) > MaxGroup {
			return nil, whole(false, "the group has %d entries, at most %d are allowed; split it into several files", len(group), MaxGroup)
		}
		return collect(file, drafts(group))
	default:
		return nil, whole(false, "expected an object for one tool or an array for a group, got %s", kindName(kind))
	}
}

func drafts(group []json.RawMessage) []*draft {
	all := make([]*draft, len(group))
	taken := map[string]int{}
	for i, raw := range group {
		d := newDraft(i)
		all[i] = d
		d.read(raw)
		d.finish("")
		name := d.Definition.Name
		if first, ok := taken[name]; ok {
			d.failf("the name %s is taken by entry %d of this file", clip(name), first)
		} else if len(d.problems) == 0 {
			taken[name] = i
		}
	}
	return all
}

// collect separates the valid entries from the problems.
func collect(file string, all []*draft) (entries []Entry, problems []Problem) {
	for _, d := range all {
		problems = append(problems, d.report(file)...)
		if len(d.problems) == 0 {
			entries = append(entries, d.Entry)
		}
	}
	return entries, problems
}

// place describes the position of a syntax error, with the line and column of an
// editor.
func place(data []byte) string {
	dec := jsontext.NewDecoder(strings.NewReader(string(data)))
	_, err := dec.ReadValue()
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || len(data) > schema.MaxBytes {
		return ""
	}
	before := string(data[:min(int(syntax.ByteOffset), len(data))])
	line := strings.Count(before, "\n") + 1
	return fmt.Sprintf(" (line %d, column %d)", line, len(before)-strings.LastIndexByte(before, '\n'))
}
