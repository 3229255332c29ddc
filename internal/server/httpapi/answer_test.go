package httpapi

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/server/api"
)

func TestLargeAnswer(t *testing.T) {
	element := json.RawMessage(`{"result":"` + strings.Repeat("y", 8<<20) + `"}`)
	s := serve(t, &calls{execute: func(context.Context, dispatch.Request) (dispatch.Response, error) {
		return dispatch.Response{TraceID: trace, Results: []json.RawMessage{element}}, nil
	}}, Options{})
	for range 2 { // the second on the same connection
		r := s.send("POST", "/v1/execute", `{"calls":[{"tool":"a"}]}`, "Accept-Encoding: identity")
		if want := `{"trace_id":"` + trace + `","results":[` + string(element) + "]}\n"; r.status != 200 || r.body != want ||
			r.header.Get("Content-Length") == "" {
			t.Errorf("a large answer: %d, %d bytes, headers %v", r.status, len(r.body), r.header)
		}
	}
}

// deadlines is a connection that notes the deadlines it is given.
type deadlines struct {
	*httptest.ResponseRecorder

	set []time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// Each piece has its own time, and the next request is not hurried by ours.
func TestCopyDeadlines(t *testing.T) {
	h := &handler{Options: Options{Patience: time.Hour}}
	conn := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	if err := h.copy(conn, strings.NewReader(strings.Repeat("x", 5*64<<10)), plain); err != nil {
		t.Fatal(err)
	}
	last := len(conn.set) - 1
	if last < 5 || !conn.set[last].IsZero() {
		t.Errorf("%d bytes were sent with the deadlines %v, want one for each piece and none at the end", conn.Body.Len(), conn.set)
	}
	for _, at := range conn.set[:last] {
		if at.IsZero() {
			t.Error("a piece was sent without a deadline")
		}
	}
}

// keyOnly is an audit trail that has its public key.
type keyOnly struct{ api.Audit }

func (keyOnly) PublicKey(context.Context) ([]byte, error) { return []byte("-----BEGIN\n"), nil }

// What is not JSON is sent as it is.
func TestPlainAnswer(t *testing.T) {
	svc := api.New(api.Parts{
		Calls: quiet(), Catalog: catalog.NewTenants(catalog.New()), Agents: &agents{}, Gate: api.Gate{Audit: keyOnly{}}, Log: zap.NewNop(),
	})
	w := httptest.NewRecorder()
	Handler(svc, Options{}).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/v1/audit/public-key", nil))
	if w.Code != 200 || w.Body.String() != "-----BEGIN\n" || w.Header().Get("Content-Type") != "application/x-pem-file" ||
		w.Header().Get("Content-Length") != "11" {
		t.Errorf("a plain answer: %d %q, headers %v", w.Code, w.Body, w.Header())
	}
}
