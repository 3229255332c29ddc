package js

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/helve-dev/helve/tool"
)

// maxFindings limits the findings for one body.
const maxFindings = 5

// CheckBody compiles the body of an async function as [CompileBody] does, and reports
// code that can only fail or return nothing: names that scripts do not have, or not
// with these permissions, and functions that are never called. All findings are in one
// validation_error.
func CheckBody(name, body string, network, files bool) error {
	if _, err := CompileBody(name, body); err != nil {
		return err
	}
	tree, err := parse(name, bodyHead, body)
	if err != nil {
		return err
	}
	f, ok := bodyOf(tree)
	if !ok {
		return nil
	}
	l := &linter{tree: tree, survey: surveyOf(f.Body)}
	l.unknownNames(network, files)
	l.unreturned(f.Body.List)
	if len(l.findings) == 0 {
		return nil
	}
	slices.SortStableFunc(l.findings, func(a, b finding) int { return a.line - b.line })
	var lines []string
	for _, found := range l.findings[:min(len(l.findings), maxFindings)] {
		lines = append(lines, fmt.Sprintf("line %d: %s", found.line, found.text))
	}
	if more := len(l.findings) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return tool.Fail(tool.ValidationError, "%s", strings.Join(lines, "; "))
}

// operatorsHave lists the names of absent that operators' files have.
var operatorsHave = []string{"setTimeout", "clearTimeout", "params"}

// Absent reports the names that an operator's file uses and scripts do not have, each
// with its line and what to do instead.
func (p *Program) Absent() []string { return p.absent }

func absentIn(tree *ast.Program) []string {
	l := &linter{tree: tree, survey: surveyOf(tree.Body)}
	for _, name := range l.survey.order {
		if why := absent[name]; why != "" && !slices.Contains(operatorsHave, name) && !l.survey.declared[name] && !l.survey.guarded[name] {
			l.addf(l.survey.first[name], "there is no '%s' here: %s", name, why)
		}
	}
	var lines []string
	for _, found := range l.findings {
		lines = append(lines, fmt.Sprintf("line %d: %s", found.line, found.text))
	}
	return lines
}

// bodyOf returns the function that wraps a body.
func bodyOf(tree *ast.Program) (*ast.FunctionLiteral, bool) {
	if len(tree.Body) != 1 {
		return nil, false
	}
	statement, ok := tree.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil, false
	}
	f, ok := statement.Expression.(*ast.FunctionLiteral)
	return f, ok
}

type finding struct {
	line int
	text string
}

type linter struct {
	tree     *ast.Program
	survey   *survey
	findings []finding
}

func (l *linter) addf(at file.Idx, format string, args ...any) {
	line := l.tree.File.Position(int(at) - l.tree.File.Base()).Line
	l.findings = append(l.findings, finding{line, fmt.Sprintf(format, args...)})
}

// unknownNames reports names of other platforms. It ignores a name that the body
// defines itself, or checks with typeof.
func (l *linter) unknownNames(network, files bool) {
	for _, name := range l.survey.order {
		if l.survey.declared[name] || l.survey.guarded[name] {
			continue
		}
		at := l.survey.first[name]
		switch why := absent[name]; {
		case name == "fetch" && !network:
			l.addf(at, "fetch needs the permission 'network'; add it to permissions")
		case name == "fs" && !files:
			l.addf(at, "fs needs the permission 'filesystem'; add it to permissions")
		case why != "":
			l.addf(at, "there is no '%s' here: %s", name, why)
		}
	}
	for _, m := range l.survey.members {
		switch {
		case l.survey.declared[m.of]:
		case m.of == "utils" && !slices.Contains(helperNames(), m.name):
			l.addf(m.at, "utils has no '%.40s'%s", m.name, nearestHelper(m.name))
		case m.of == "fs" && files && !slices.Contains(fsNames, m.name):
			l.addf(m.at, "fs has no '%.40s'; it has %s", m.name, strings.Join(fsNames, ", "))
		}
	}
}

// absent maps names that scripts do not have to what to do instead.
var absent = map[string]string{
	"require":        "there are no modules; use utils, fetch and fs",
	"module":         "there are no modules; return the result",
	"exports":        "there are no modules; return the result",
	"setTimeout":     "there are no timers; await what you wait for",
	"clearTimeout":   "there are no timers",
	"setInterval":    "there are no timers; use a loop",
	"clearInterval":  "there are no timers",
	"setImmediate":   "there are no timers; await what you wait for",
	"queueMicrotask": "use promises",
	"process": "a script sees no process and no environment; read what you need from args, or from a service with " +
		"utils.getServiceConfig",
	"Buffer":          "use utils.base64Encode and utils.base64Decode, or TextEncoder",
	"window":          "this is no browser",
	"document":        "this is no browser; fetch a page with the permission 'network' and read its text",
	"navigator":       "this is no browser",
	"localStorage":    "nothing is kept between calls; use fs with the permission 'filesystem'",
	"alert":           "this is no browser; return the text",
	"prompt":          "this is no browser; take the value from args",
	"XMLHttpRequest":  "use fetch with the permission 'network'",
	"axios":           "use fetch with the permission 'network'",
	"_":               "lodash is not here; use utils",
	"moment":          "use utils.formatDate, utils.dateAdd and utils.dateDiff",
	"params":          "the arguments are in args",
	"Intl":            "use toFixed and utils.formatDate",
	"AbortController": "a call ends by itself when its time is over",
	"structuredClone": "use JSON.parse(JSON.stringify(x))",
	"Deno":            "use fetch and fs",
	"Bun":             "use fetch and fs",
}

// nearestHelper returns the name of the most similar helper, if any is similar.
func nearestHelper(name string) string {
	for _, helper := range helperNames() {
		if strings.EqualFold(strings.ReplaceAll(name, "_", ""), helper) {
			return "; write utils." + helper
		}
	}
	var alike []string
	for _, helper := range helperNames() {
		if low, want := strings.ToLower(helper), strings.ToLower(name); len(want) > 3 &&
			(strings.Contains(low, want) || strings.Contains(want, low)) {
			alike = append(alike, helper)
		}
	}
	if len(alike) > 0 {
		return "; there are " + strings.Join(alike, ", ")
	}
	return "; get_tool_help of create_tool lists what there is"
}
