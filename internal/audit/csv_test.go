package audit

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/protocol"
)

// oneLine is an export with one record, as it is.
func oneLine(t *testing.T, r protocol.AuditRecord) *bytes.Reader {
	t.Helper()
	data, err := Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	text := "{\"helve_audit_export\":2}\n" + string(asLine(Place{7, 3}, data)) + "\n{\"seal\":1}\n{\"trailer\":1}\n"
	return bytes.NewReader([]byte(text))
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := fullRecord()
	if err := CSV(&out, oneLine(t, r)); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v, want header and record", len(rows), err)
	}
	got := map[string]string{}
	for i, name := range rows[0] {
		got[name] = rows[1][i]
	}
	for name, want := range map[string]string{
		"seq": "7", "part": "3", "audit_id": "a-1", "time": "2026-01-02T03:04:05.6789Z", "outcome": "blocked", "error_type": "timeout",
		"reason": r.Decision.Reason, "duration_ms": "1.25", "attempt": "2", "detail": "d", "origin": "mcp",
	} {
		if got[name] != want {
			t.Errorf("column %s = %q, want %q", name, got[name], want)
		}
	}
	// Every member of a record that is stored has its column.
	const notStored = 3 // Sealed, Proven, Problem
	if n := -notStored + reflect.TypeFor[protocol.AuditRecord]().NumField() + reflect.TypeFor[protocol.AuditDecision]().NumField() +
		reflect.TypeFor[protocol.AuditResult]().NumField() - 2; len(columns) != n {
		t.Errorf("%d columns, want %d", len(columns), n)
	}
	for _, column := range rows[1] {
		if column == "" {
			t.Errorf("an empty cell in %q", rows[1])
		}
	}
}

func TestCSVComputesNothing(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"} {
		var out bytes.Buffer
		if err := CSV(&out, oneLine(t, protocol.AuditRecord{Tenant: "acme", Phase: protocol.AuditRefused, Detail: bad})); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if cell := rows[1][slices.Index(rows[0], "detail")]; !strings.HasPrefix(cell, "'") {
			t.Errorf("the cell of %q is %q, want an apostrophe before it", bad, cell)
		}
	}
}

func TestConversionSaysWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := CSV(&out, strings.NewReader("{\"seq\":1,\"raw\":\"eA==\"}\n")); err != nil || !strings.Contains(out.String(), "\n1,,") ||
		!strings.Contains(out.String(), "cannot be read") {
		t.Errorf("a record that is none: %v, %q, want its place and a word", err, &out)
	}
	if err := CSV(&out, strings.NewReader("{\"seq\":x}\n")); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a broken line: %v, want it named", err)
	}
}
