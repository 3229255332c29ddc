package openapi

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/x/docsection"
	"github.com/helve-dev/helve/protocol"
)

var update = flag.Bool("update", false, "write the sections of docs/protocol.md")

// TestProtocol compares the tables of docs/protocol.md with the code.
func TestProtocol(t *testing.T) {
	for name, want := range map[string]string{"operations": operationTable(), "error types": kindList(), "phases": phaseList()} {
		if err := docsection.Sync("../../../docs/protocol.md", name, want, *update); err != nil {
			t.Error(err)
		}
	}
}

func operationTable() string {
	var b strings.Builder
	b.WriteString("| Operation | HTTP | Does |\n|---|---|---|\n")
	for _, op := range api.Operations() {
		fmt.Fprintf(&b, "| `%s` | `%s %s%s` | %s |\n", op.Name, op.Method, op.Path, queryOf(op), rows[op.Name].summary)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// queryOf returns the query parameters of an operation as a URL shows them, without
// those that are part of its path.
func queryOf(op api.Operation) string {
	if op.Body {
		return ""
	}
	var query []string
	for _, p := range op.Params {
		if !strings.Contains(op.Path, "{"+p+"}") {
			query = append(query, p+"=")
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + strings.Join(query, "&")
}

func kindList() string {
	var names []string
	for _, k := range protocol.Kinds() {
		names = append(names, "`"+string(k)+"`")
	}
	return strings.Join(names, ", ") + "."
}

func phaseList() string {
	var names []string
	for _, p := range protocol.AuditPhases() {
		names = append(names, "`"+string(p)+"`")
	}
	return "- `phase` is one of " + strings.Join(names, ", ") + "."
}
