package protocol_test

import (
	"flag"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/x/docsection"
	"github.com/helve-dev/helve/protocol"
)

var update = flag.Bool("update", false, "write docs/fields.md")

// documented are the types whose fields docs/fields.md lists, in its order.
var documented = []any{
	protocol.Execute{}, protocol.Call{}, protocol.ExecuteMessage{}, protocol.Context{}, protocol.Callback{}, protocol.ExecuteAnswer{},
	protocol.Result{}, protocol.ResultRef{},
	protocol.Event{}, protocol.Problem{}, protocol.Fault{},
	protocol.Tool{}, protocol.Scopes{}, protocol.ToolLimit{}, protocol.ToolContexts{}, protocol.ToolDetail{}, protocol.VersionOnWorkers{},
	protocol.Group{}, protocol.Agent{},
	protocol.Consent{}, protocol.Verdict{}, protocol.DecisionRequest{}, protocol.MintRequest{}, protocol.MintedToken{}, protocol.Grant{},
	protocol.AuditRecord{}, protocol.AuditDecision{}, protocol.AuditResult{}, protocol.AuditReport{}, protocol.AuditProblem{},
	protocol.RegisterRequest{}, protocol.Registered{}, protocol.RemoteCall{}, protocol.RemoteAnswer{},
	protocol.CustomTool{}, protocol.UpstreamTool{}, protocol.Worker{}, protocol.WorkerKind{}, protocol.WorkerTool{},
}

// TestDocument compares the fields in docs/fields.md with the types, and refuses a
// field without a description.
func TestDocument(t *testing.T) {
	var b strings.Builder
	for i, v := range documented {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n| Field | JSON | Meaning |\n|---|---|---|\n", reflect.TypeOf(v).Name())
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if f.Anonymous {
				continue
			}
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Tag.Get("doc") == "" || name == "" {
				t.Errorf("%T.%s has no name in JSON or no tag doc", v, f.Name)
			}
			if strings.Contains(options, "omit") {
				name += "?"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, jsonType(f.Type), strings.ReplaceAll(f.Tag.Get("doc"), "|", `\|`))
		}
	}
	if err := docsection.Sync("../docs/fields.md", "fields", strings.TrimSuffix(b.String(), "\n"), *update); err != nil {
		t.Error(err)
	}
}

// jsonType returns the name of a Go type in JSON.
func jsonType(t reflect.Type) string {
	switch name := t.String(); {
	case name == "json.RawMessage":
		return "any"
	case name == "time.Time" || name == "*time.Time":
		return "time"
	case t.Kind() == reflect.Pointer:
		return jsonType(t.Elem())
	case t.Kind() == reflect.Slice:
		return "[" + jsonType(t.Elem()) + "]"
	case t.Kind() == reflect.Map:
		return "object"
	case t.Kind() == reflect.Struct:
		return "[" + t.Name() + "](#" + strings.ToLower(t.Name()) + ")"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.String:
		return "string"
	}
	return "number"
}
