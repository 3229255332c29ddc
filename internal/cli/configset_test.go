package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestConfigSet: what the command sends, and that a secret is repeated nowhere.
func TestConfigSet(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("canary-file\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var sent string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var set map[string]any
		_ = json.Unmarshal(body, &set)
		delete(set, "service")
		delete(set, "label")
		text, _ := json.Marshal(set)
		sent = r.Method + " " + r.URL.Path + " " + string(text)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"service": "s", "label": "l", "active": true, "fields": {"key": {"set": true}, "base_url": "https://h"}}`)
	}))
	defer srv.Close()
	for _, tt := range []struct {
		args, stdin string
		code        int
		sent, out   string
	}{
		{
			"s --stdin key", "canary-in\n", 0, `PUT /v1/services/s/default {"fields":{"key":"canary-in"},"merge":true}`,
			"the entry l of s is set for everybody of the tenant: base_url=https://h key=(secret, set)",
		},
		{
			"s work base_url=https://h?a=b --from-file key=" + file, "", 0,
			`PUT /v1/services/s/work {"fields":{"base_url":"https://h?a=b","key":"canary-file"},"merge":true}`, "is set",
		},
		{
			"s key=canary-argv --replace --user ann --type custom --active=false",
			"", 0, `PUT /v1/services/s/default {"active":false,"fields":{"key":"canary-argv"},"type":"custom","user":"ann"}`,
			"note: the secret key was on the command line",
		},
		{"s --json --stdin key", "canary\n", 0, `PUT /v1/services/s/default {"fields":{"key":"canary"},"merge":true}`, `{"service":"s"`},
		{"s", "", 2, "", "give a value"},
		{"s --stdin key", "", 2, "", "standard input is empty"},
		{"s l canary-argv", "", 2, "", "argument 3 is neither"},
		{"s --from-file key", "", 2, "", "FIELD=PATH"},
		{"s --from-file key=" + file + ".none", "", 1, "", "no such file"},
		{"s --stdin key", strings.Repeat("x", maxSecret+1), 1, "", "larger than"},
	} {
		sent = ""
		var out strings.Builder
		args := append([]string{"config", "set"}, append(strings.Fields(tt.args), "--server", srv.URL)...)
		code := Run(t.Context(), args, strings.NewReader(tt.stdin), &out, &out, &cobra.Command{Use: "config"})
		if code != tt.code || sent != tt.sent || !strings.Contains(out.String(), tt.out) || strings.Contains(out.String(), "canary") {
			t.Errorf("%s: %d, sent %s, printed %s", tt.args, code, sent, out.String())
		}
	}
}
