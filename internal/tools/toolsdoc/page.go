package toolsdoc

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// generated is the first line of each page.
const generated = "<!-- Written by go test ./internal/tools/toolsdoc -update; do not edit. -->\n\n"

func writeHead(w *strings.Builder, category string, tools []*tool.Definition) {
	fmt.Fprintf(w, "%s# %s\n\n[All categories](README.md) · ", generated, escape(category))
	for i, d := range tools {
		if i > 0 {
			w.WriteString(", ")
		}
		fmt.Fprintf(w, "[%s](#%s)", escape(d.Name), anchor(d.Name))
	}
	w.WriteString("\n")
}

// writeTool writes the section of one tool.
func writeTool(w *strings.Builder, d *tool.Definition, a answer) error {
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n%s\n", d.Name, escape(d.Description), facts(d))
	parameters, err := fields(d.Parameters)
	if err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	results, err := fields(d.ResultSchema)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	writeParameters(w, parameters)
	if err := writeResults(w, d, results); err != nil {
		return err
	}
	writeErrors(w, d.Errors)
	return writeExample(w, d, a)
}

// writeErrors lists the error kinds that a tool declares. A nil list declares nothing,
// so the word "only" would be wrong.
func writeErrors(w *strings.Builder, kinds []tool.Kind) {
	const universal = "[those of any call](README.md#errors-of-any-call).\n"
	w.WriteString("\nErrors: ")
	switch {
	case kinds == nil:
		w.WriteString(universal)
	case len(kinds) == 0:
		w.WriteString("only " + universal)
	default:
		for _, kind := range slices.Sorted(slices.Values(kinds)) {
			fmt.Fprintf(w, "[`%s`](README.md#%s), ", kind, home(kind))
		}
		w.WriteString("and " + universal)
	}
}

// home links to the README section that explains a kind.
func home(kind tool.Kind) string {
	if slices.Contains(tool.Universal(), kind) {
		return "errors-of-any-call"
	}
	return "errors-of-some-tools"
}

// facts returns the main properties of a tool, in one line.
func facts(d *tool.Definition) string {
	all := []string{"Group `" + d.Group + "`", string(d.Risk) + " risk"}
	switch {
	case d.Destructive:
		all = append(all, "destroys")
	case d.Mutates:
		all = append(all, "changes something")
	default:
		all = append(all, "changes nothing")
	}
	all = append(all, asks(d), "at most "+duration(d.Timeout()))
	if d.OpenWorld {
		all = append(all, "reaches outside")
	}
	if d.Pool != "default" {
		all = append(all, "runs on workers of the pool `"+d.Pool+"`")
	}
	if l := d.Limit; l != nil {
		all = append(all, fmt.Sprintf("`%s` is %d by default and at most %d", l.Param, l.Default, l.Max))
	}
	if len(d.Aliases) > 0 {
		all = append(all, "also called "+code(d.Aliases...))
	}
	return strings.Join(all, " · ")
}

// duration formats a time for people: 2m, not 2m0s.
func duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// asks describes when consent is needed, without local policies.
func asks(d *tool.Definition) string {
	switch {
	case d.Risk == tool.High, d.RequiresConfirmation, d.Confirmation == tool.ConfirmAlways:
		return "always asks a person"
	case d.Risk == tool.Medium && d.Mutates, d.Destructive && d.Confirmation == tool.ConfirmIfDestructive:
		return "asks a person before it changes anything"
	default:
		return "asks nobody"
	}
}

func writeParameters(w *strings.Builder, all []field) {
	if len(all) == 0 {
		w.WriteString("\nIt takes no parameters.\n")
		return
	}
	w.WriteString("\n| Parameter | Type | Required | Default | Allowed | Meaning |\n|---|---|---|---|---|---|\n")
	for i := range all {
		f := &all[i]
		required, fallback, meaning := "no", "", escape(f.Description)
		if f.required {
			required = "yes"
		}
		if len(f.Default) > 0 {
			fallback = code(plain(f.Default))
		}
		if f.WriteOnly {
			meaning = strings.TrimSpace(meaning + " It is secret: shown to nobody and recorded nowhere.")
		}
		row(w, code(f.name), f.typeName(), required, fallback, f.allowed(), meaning)
	}
}

func writeResults(w *strings.Builder, d *tool.Definition, all []field) error {
	if len(all) == 0 {
		result := schema{}
		if len(d.ResultSchema) > 0 {
			var err error
			if result, err = parseSchema(d.ResultSchema); err != nil {
				return fmt.Errorf("result: %w", err)
			}
		}
		fmt.Fprintf(w, "\nThe result is of type %s.\n", result.typeName())
		return nil
	}
	w.WriteString("\n| Result | Type | Always there | Meaning |\n|---|---|---|---|\n")
	for i := range all {
		f := &all[i]
		always, meaning := "no", escape(f.Description)
		if f.required {
			always = "yes"
		}
		if values := f.values(); values != "" {
			meaning = strings.TrimSpace(meaning + " One of " + values + ".")
		}
		row(w, code(f.name), f.typeName(), always, meaning)
	}
	return nil
}

func writeExample(w *strings.Builder, d *tool.Definition, a answer) error {
	if len(d.Example) == 0 {
		return nil
	}
	call := fmt.Appendf(nil, `{"tool":%q,"arguments":%s}`, d.Name, d.Example)
	lines, err := display(call)
	if err != nil {
		return fmt.Errorf("example: %w", err)
	}
	fmt.Fprintf(w, "\nExample:\n\n```json\n%s\n```\n%s", strings.Join(lines, "\n"), a)
	return nil
}

func row(w *strings.Builder, cells ...string) {
	for _, cell := range cells {
		w.WriteString("| " + cell + " ")
	}
	w.WriteString("|\n")
}

// escapes lists the characters with a meaning in Markdown text or in a cell.
var escapes = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "\r", "", "\n", " ")

func escape(text string) string { return escapes.Replace(text) }

// code marks texts as code, with commas between them.
func code(texts ...string) string {
	marked := make([]string, len(texts))
	for i, text := range texts {
		fence := "`"
		if strings.Contains(text, "`") {
			fence = "``"
		}
		text = strings.NewReplacer("|", `\|`, "\r", `\r`, "\n", `\n`, "\t", `\t`).Replace(text)
		marked[i] = fence + text + fence
	}
	return strings.Join(marked, ", ")
}

// anchor returns the anchor of a heading, as GitHub generates it.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(heading), ".", ""), " ", "-")
}
