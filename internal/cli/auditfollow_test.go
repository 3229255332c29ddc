package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestFollowPrintsEachRecordOnce follows a trail whose messages hold many records: a
// page ends within a message, and the next one begins before its end.
func TestFollowPrintsEachRecordOnce(t *testing.T) {
	record := func(id string, seq, part int) string {
		return fmt.Sprintf(`{"audit_id":%q,"seq":%d,"part":%d,"time":"2026-11-20T12:00:00Z","phase":"finished","tenant":"default","sealed":true}`,
			id, seq, part)
	}
	pages := []string{
		`{"records":[` + record("a", 7, 0) + `,` + record("b", 7, 1) + `],"next":"7.1"}`,
		`{"records":[` + record("b", 7, 1) + `,` + record("c", 7, 2) + `,` + record("d", 8, 0) + `],"next":"8"}`,
	}
	ctx, cancel := context.WithCancel(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(pages) == 0 {
			cancel()
			return
		}
		io.WriteString(w, pages[0])
		pages = pages[1:]
	}))
	defer srv.Close()
	got := run(ctx, "--server", srv.URL, "audit", "--follow", "--json")
	var ids []string
	for line := range strings.Lines(got.stdout) {
		id, _, _ := strings.Cut(strings.TrimPrefix(line, `{"audit_id":"`), `"`)
		ids = append(ids, id)
	}
	if text := strings.Join(ids, " "); got.code != exitOK || text != "a b c d" {
		t.Errorf("follow: %+v, want the records a b c d", got)
	}
}
