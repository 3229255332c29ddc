package app

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/telemetry"
)

func TestHealthcheck(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.Error(w, "the streams are full", http.StatusServiceUnavailable)
		}
	}))
	defer srv.Close()
	for _, tt := range []struct {
		url    string
		code   int
		stderr string
	}{
		{srv.URL + "/readyz", OK, ""},
		{srv.URL + "/other", Failure, "503 Service Unavailable: the streams are full"},
		{"http://127.0.0.1:1/readyz", Failure, "127.0.0.1:1"},
		{"127.0.0.1:9090", Failure, "want a URL"},
	} {
		var stderr bytes.Buffer
		o := Options{Role: config.Worker, Args: []string{"worker", "--healthcheck", tt.url}, Stdout: new(bytes.Buffer), Stderr: &stderr}
		code := Run(t.Context(), o, func(config.Config, *telemetry.Kit) error {
			t.Error("the program was started, want only the check")
			return nil
		})
		if code != tt.code || !strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("--healthcheck %s = %d %q, want %d %q", tt.url, code, &stderr, tt.code, tt.stderr)
		}
	}
}
