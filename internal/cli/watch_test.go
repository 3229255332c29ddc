package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestWatch watches until it is interrupted, which is no error.
func TestWatch(t *testing.T) {
	asked := consentOf("k1", "pending", "It\tdeletes\na file.", "")
	for flag, want := range map[string]string{
		"--json=false": "2026-11-20T12:00:00Z  k1  ada  delete_file (medium risk): It deletes a file.\n",
		"--json":       asked + "\n",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		times := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if times++; times > 1 {
				cancel()
			}
			if got := r.URL.RawQuery; got != "status=pending&user=ada" {
				t.Errorf("watching asks for %s", got)
			}
			io.WriteString(w, `{"consents":[`+asked+`]}`)
		}))
		got := run(ctx, "--server", srv.URL, "consent", "watch", "--user", "ada", flag)
		srv.Close()
		if want := (output{0, want, ""}); got != want {
			t.Errorf("watch %s: %+v, want %+v", flag, got, want)
		}
	}
}

// TestRing rings only where there is a bell, and what tools write never does.
func TestRing(t *testing.T) {
	var screen, file bytes.Buffer
	out := &terminal{w: &screen}
	ring(out)
	io.WriteString(out, "a\a")
	ring(&file)
	if screen.String() != "\aa\ufffd" || file.Len() != 0 {
		t.Errorf("a terminal shows %q and a file holds %q", screen.String(), file.String())
	}
}
