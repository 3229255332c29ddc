package telemetry

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/x/docsection"
)

var update = flag.Bool("update", false, "write the metrics of docs/metrics.md")

// TestDocs compares the metrics that docs/metrics.md lists with those that are registered.
func TestDocs(t *testing.T) {
	var lines []string
	for _, d := range NewMetrics().Described() {
		labels := ""
		if len(d.Labels) > 0 {
			labels = "{" + strings.Join(d.Labels, ",") + "}"
		}
		lines = append(lines, fmt.Sprintf("| `%s%s` | %s | %s |", d.Name, labels, d.Type, d.Help))
	}
	want := "| Metric | Type | Meaning |\n|---|---|---|\n" + strings.Join(lines, "\n")
	if err := docsection.Sync("../../docs/metrics.md", "metrics", want, *update); err != nil {
		t.Error(err)
	}
}

// TestDescribedIsComplete: every metric in a scrape is described.
func TestDescribedIsComplete(t *testing.T) {
	m := used()
	described := map[string]string{}
	for _, d := range m.Described() {
		described[d.Name] = d.Type
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if kind := strings.ToLower(f.GetType().String()); strings.HasPrefix(f.GetName(), "helve_") && described[f.GetName()] != kind {
			t.Errorf("%s is a %s in a scrape, and described as %q", f.GetName(), kind, described[f.GetName()])
		}
	}
}
