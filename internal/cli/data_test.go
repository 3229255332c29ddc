package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// dataHere is a substitute for the command of cmd/helve, whose children open a database.
func dataHere() *cobra.Command {
	data := &cobra.Command{Use: "data"}
	for _, name := range []string{"export", "import", "delete", "migrate"} {
		cmd := &cobra.Command{Use: name, RunE: func(*cobra.Command, []string) error { return errors.New("the database here") }}
		cmd.Flags().String("format", "jsonl", "")
		cmd.Flags().Bool("replace", false, "")
		cmd.Flags().String("data", "", "")
		cmd.Flags().String("store", "", "")
		data.AddCommand(cmd)
	}
	return data
}

// TestDataOnServer: with --server the commands are operations of that server, without it
// they open a database.
func TestDataOnServer(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/data/export", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s of %s\n", r.URL.Query().Get("format"), r.URL.Query().Get("user"))
	})
	mux.HandleFunc("POST /v1/data/import", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			User, Data string
			Replace    bool
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.User != "ann" || body.Data != "the file" || !body.Replace {
			w.WriteHeader(http.StatusBadRequest)
		}
		io.WriteString(w, `{"added":2,"replaced":1,"kept":0}`)
	})
	mux.HandleFunc("DELETE /v1/data", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"items":7,"call_results":1,"results":3,"grants":1,"custom_tools":2,"left":["what waits"]}`)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "ann")
	if err := os.WriteFile(file, []byte("the file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line, stdin, want string
		code              int
	}{
		{line: "export --server URL --user ann --format csv", want: "csv of ann\n"},
		{line: "import --server URL --user ann --replace " + file, want: "2 items added, 1 replaced, 0 left as they were\n"},
		{line: "import --server URL --user ann --replace --json", stdin: "the file", want: `{"added":2,"replaced":1,"kept":0}` + "\n"},
		{line: "delete --server URL --user ann", want: "deleted 7 items, 4 results of calls, 1 grants and 2 custom tools\nleft: what waits\n"},
		{line: "delete --server URL", want: "name the person", code: 2},
		{line: "delete --server URL --user ann --data x", want: "not both", code: 2},
		{line: "delete --user ann", want: "the database here", code: 1},
		{line: "migrate --server URL", want: "the database here", code: 1},
	} {
		var out, errs bytes.Buffer
		args := append([]string{"data"}, strings.Fields(strings.ReplaceAll(tt.line, "URL", srv.URL))...)
		code := Run(t.Context(), args, strings.NewReader(tt.stdin), &out, &errs, dataHere())
		if got := out.String() + errs.String(); code != tt.code || code == 0 && got != tt.want || !strings.Contains(got, tt.want) {
			t.Errorf("%s = %d %q, want %d %q", tt.line, code, got, tt.code, tt.want)
		}
	}
}
