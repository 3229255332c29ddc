package deploytest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the PrometheusRule of deploy/k8s")

// ruleHead is the object around the groups of the rules, which are one level deeper in it.
const ruleHead = `# Written by go test ./deploytest -update from deploy/prometheus/alerts.yaml; do not edit.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: helve, labels: {app.kubernetes.io/part-of: helve}}
spec:
`

// TestRules compares the PrometheusRule of the component monitoring, as kustomize renders it
// into the overlay prod, with the rules that Prometheus loads from a file. Kustomize reads no
// files outside its directory, so the rules are there twice.
func TestRules(t *testing.T) {
	text, err := os.ReadFile("../prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, groups, _ := strings.Cut(string(text), "\ngroups:")
	var want bytes.Buffer
	want.WriteString(ruleHead)
	for line := range strings.Lines("groups:" + groups) {
		if line != "\n" {
			want.WriteString("  ")
		}
		want.WriteString(line)
	}
	file := filepath.Join(manifests, "components/monitoring/prometheusrule.yaml")
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s differs from ../prometheus/alerts.yaml (%v); run this test with -update and read the change", file, err)
	}
	type rules struct {
		Groups []struct {
			Name  string
			Rules []map[string]any
		}
	}
	var source rules
	if err := yaml.Unmarshal(text, &source); err != nil || len(source.Groups) < 4 {
		t.Fatalf("%v: %d groups", err, len(source.Groups))
	}
	kind := schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "PrometheusRule"}
	check := published(t)[kind]
	for _, o := range render(t, "overlays/prod") {
		if o.gvk != kind {
			continue
		}
		var object struct{ Spec rules }
		if err := yaml.Unmarshal(o.yaml, &object); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(object.Spec, source) {
			t.Errorf("the rules are rendered as\n%s", o.yaml)
		}
		if err := valid(check, o.yaml); err != nil {
			t.Error(err)
		}
		return
	}
	t.Error("the overlay prod has no PrometheusRule")
}
