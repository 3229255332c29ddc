package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/helve-dev/helve/internal/server/api"
)

// closing notes that it was closed.
type closing struct {
	io.Reader

	closed chan bool
}

func (c closing) Close() error { close(c.closed); return nil }

func TestResult(t *testing.T) {
	value := `[` + strings.Repeat("1,", 1<<20) + `2.50]`
	for _, size := range []int64{int64(len(value)), -1} {
		closed := make(chan bool)
		var asked string
		s := serve(t, &calls{result: func(tenant, callID string) (io.ReadCloser, int64, error) {
			asked = tenant + "/" + callID
			return closing{strings.NewReader(value), closed}, size, nil
		}}, Options{})
		r := s.send("GET", "/v1/calls/c1/result", "", "Helve-Tenant: t1")
		<-closed
		if r.status != 200 || r.body != value || r.header.Get("Content-Type") != "application/json" || asked != "t1/c1" {
			t.Errorf("result = %d, %d bytes, %v, asked for %q", r.status, len(r.body), r.header, asked)
		}
	}
}

func TestResultFailures(t *testing.T) {
	var value io.Reader
	fail := error(api.NotFound("no call c1"))
	s := serve(t, &calls{result: func(string, string) (io.ReadCloser, int64, error) {
		return closing{value, make(chan bool)}, -1, fail
	}}, Options{})
	s.wantProblem(s.send("GET", "/v1/calls/c1/result", ""), 404, "not_found", "no call c1")
	s.wantProblem(s.send("GET", "/v1/calls/c1/result", "", "Helve-Tenant: a.b"), 400, "bad_request", "the tenant")
	if s.logs.Len() != 0 {
		t.Errorf("an error for the caller logs %v", s.logs.All())
	}
	fail = errors.New("the secret cause")
	r := s.send("GET", "/v1/calls/c1/result", "")
	s.wantProblem(r, 503, "unavailable", "try again")
	if strings.Contains(r.body, "secret") || s.logs.Len() != 1 {
		t.Errorf("the client sees %s, the log %v", r.body, s.logs.All())
	}

	// A result that breaks off must not look complete.
	fail, value = nil, io.MultiReader(strings.NewReader("[1,2"), iotest.ErrReader(errors.New("lost")))
	resp, err := http.Get(s.URL + "/v1/calls/c1/result")
	if err != nil {
		return // cut before the first byte arrived
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("a result that broke off ends well, with %q", text)
	}
}
