package alerttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// known returns the labels of every metric of a live system: those of Helve, which are
// registered whether or not they have a series, and of the runtime.
func known(t *testing.T) map[string][]string {
	t.Helper()
	s := launch(t, nil)
	s.post("/v1/execute", `{"calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
	p := start(t, s.url)
	p.step()
	metrics := map[string][]string{}
	for _, ls := range p.targets[0].series {
		name := ls.Get("__name__")
		for l := range ls.Map() {
			metrics[name] = append(metrics[name], l)
		}
	}
	for _, d := range s.kit.Metrics.Described() {
		names := []string{d.Name}
		if d.Type == "histogram" {
			names = []string{d.Name + "_bucket", d.Name + "_count", d.Name + "_sum"}
		}
		for _, name := range names {
			metrics[name] = append(slices.Clone(d.Labels), "instance", "le")
		}
	}
	return metrics
}

// check parses a query and compares its metrics and labels with those that exist.
func check(t *testing.T, where, query string, metrics map[string][]string) {
	t.Helper()
	query = strings.ReplaceAll(query, "$__rate_interval", "5m")
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		t.Errorf("%s: %v in %s", where, err, query)
		return
	}
	labels := map[string]bool{}
	var grouped []string
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			have, ok := metrics[node.Name]
			if !ok {
				t.Errorf("%s: there is no metric %s", where, node.Name)
			}
			for _, l := range have {
				labels[l] = true
			}
			for _, m := range node.LabelMatchers {
				if m.Name != "__name__" && !slices.Contains(have, m.Name) {
					t.Errorf("%s: %s has no label %s", where, node.Name, m.Name)
				}
			}
		case *parser.AggregateExpr:
			grouped = append(grouped, node.Grouping...)
		}
		return nil
	})
	for _, l := range grouped {
		if !labels[l] {
			t.Errorf("%s: no metric of %s has the label %s", where, query, l)
		}
	}
}

// TestQueries: every query of the dashboards and alerts can be parsed, and its metrics and
// labels exist.
func TestQueries(t *testing.T) {
	metrics := known(t)
	files, err := filepath.Glob("../../../deploy/grafana/*.json")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d dashboards (%v), want 7", len(files), err)
	}
	variable := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Templating struct {
				List []struct{ Type, Query string }
			}
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		for _, v := range d.Templating.List {
			if v.Type != "query" {
				continue
			}
			m := variable.FindStringSubmatch(v.Query)
			if m == nil || !slices.Contains(metrics[m[1]], m[2]) {
				t.Errorf("%s: the variable %q names no label of a metric", file, v.Query)
			}
		}
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				check(t, filepath.Base(file)+": "+p.Title, q.Expr, metrics)
			}
		}
	}
	for _, r := range alerts(t) {
		check(t, r.Alert, r.Expr, metrics)
	}
}

func alerts(t *testing.T) []rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile(rulesFile, false, model.UTF8Validation, parser.NewParser(parser.Options{}), nil)
	if errs != nil {
		t.Fatal(errs)
	}
	var all []rulefmt.Rule
	for _, g := range groups.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// TestAlertsAreComplete: each alert has a severity, a summary, a runbook with what an operator
// needs, and a test here that sees it fire and clear.
func TestAlertsAreComplete(t *testing.T) {
	var tests strings.Builder
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	pages := map[string]bool{}
	for _, r := range alerts(t) {
		if !slices.Contains([]string{"critical", "warning", "info"}, r.Labels["severity"]) || r.Annotations["summary"] == "" {
			t.Errorf("%s has the severity %q and the summary %q", r.Alert, r.Labels["severity"], r.Annotations["summary"])
		}
		page := "docs/runbooks/" + r.Alert + ".md"
		pages[filepath.Base(page)] = true
		if r.Annotations["runbook"] != page {
			t.Errorf("%s has the runbook %q, want %q", r.Alert, r.Annotations["runbook"], page)
		}
		text, err := os.ReadFile("../../../" + page)
		if err != nil {
			t.Error(err)
		}
		for _, heading := range []string{"# " + r.Alert, "## Meaning", "## Effect", "## Confirm", "## Fix"} {
			if !strings.Contains(string(text), heading+"\n") {
				t.Errorf("%s lacks %q", page, heading)
			}
		}
		if !strings.Contains(tests.String(), `"`+r.Alert+`", true`) && !strings.Contains(tests.String(), `proves("`+r.Alert+`"`) {
			t.Errorf("no test sees %s fire", r.Alert)
		}
	}
	written, err := filepath.Glob("../../../docs/runbooks/Helve*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range written {
		if !pages[filepath.Base(page)] {
			t.Errorf("%s is of no alert", page)
		}
	}
}
