package customdata

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestDocument(t *testing.T) {
	t1 := someTable(t)
	for _, data := range []string{
		`{}`, `{"title":"","pages":0,"read":false}`,
		`{"title":"<b>&\u2028 📚","isbn":"0","pages":-1.5,"read":true,"bought":"2026-11-23","due":"2026-11-23T09:00:00+01:00"}`,
		`{"extra":{"z":1.10,"a":[null,"x",12345678901234567890]}}`, `{"extra":""}`, `{"extra":0}`, `{"extra":false}`,
	} {
		want, err := t1.Value.given("data", tool.Object(data))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := t1.Value.document(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := t1.Value.read(doc); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s: read %v, %v (-want +got):\n%s", doc, got, err, cmp.Diff(want, got))
		}
	}
	// As PostgreSQL writes JSON.
	got, err := t1.Value.read([]byte(`{"c3": 100.0, "c1": "<a>", "c9": "of a column that was dropped"}`))
	if want := (values{1: json.RawMessage(`"<a>"`), 3: json.RawMessage(`100`)}); err != nil || !cmp.Equal(want, got) {
		t.Errorf("read %v, %v, want %v", got, err, want)
	}
	for _, broken := range []string{`[]`, `{"c1":5}`, `{"c7":{}}`} {
		if _, err := t1.Value.read([]byte(broken)); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.Internal {
			t.Errorf("%s: %v, want internal", broken, err)
		}
	}
}
