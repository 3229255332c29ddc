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

	"github.com/helve-dev/helve/protocol"
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

// TestDataServerOfEnvironment: HELVE_SERVER names the server of these commands too, unless flags name
// a database, so that a delete reaches the data that was meant.
func TestDataServerOfEnvironment(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("DELETE /v1/data", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"items":7}`) })
	mux.HandleFunc("GET /v1/data/export", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "of the server\n") })
	srv := httptest.NewServer(mux)
	defer srv.Close()
	t.Setenv("HELVE_SERVER", srv.URL)
	for line, want := range map[string]string{
		"delete --user ann --yes": "deleted 7 items", "export --user ann": "of the server", "export --user ann --store x": "the database here",
		"delete --user ann --yes --data x": "the database here",
	} {
		var out, errs bytes.Buffer
		Run(t.Context(), append([]string{"data"}, strings.Fields(line)...), strings.NewReader(""), &out, &errs, dataHere())
		if got := out.String() + errs.String(); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestDataOnServer: with --server the commands are operations of that server, without it
// they open a database.
// TestImportText: a person sees which items were left out, and why.
func TestImportText(t *testing.T) {
	got := ImportText(protocol.DataImported{
		Added:    2,
		Skipped:  1,
		Problems: []protocol.ImportProblem{{Line: 7, Item: "Lunch", Reason: "no start"}, {Line: 9, Reason: "no zone", Stored: true}},
	})
	const want = "2 items added, 0 replaced, 0 left as they were\n1 items left out:\n  line 7 (\"Lunch\"), left out: " +
		"no start\n  line 9, stored: no zone\n"
	if got != want {
		t.Errorf("ImportText = %q, want %q", got, want)
	}
}

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
		io.WriteString(w, `{"items":7,"call_results":1,"results":3,"kept_calls":5,"grants":1,"custom_tools":2,"left":["what waits"]}`)
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
		{line: "delete --server URL --user ann", want: "give --yes", code: 2},
		{line: "delete --user ann", want: "give --yes", code: 2},
		{
			line: "delete --server URL --user ann --yes",
			want: "deleted 7 items, 4 results of calls, 5 kept calls, 1 grants and 2 custom tools\nleft: what waits\n",
		},
		{line: "delete --server URL", want: "name the person", code: 2},
		{line: "delete --server URL --user ann --yes --data x", want: "not both", code: 2},
		{line: "delete --user ann --yes", want: "the database here", code: 1},
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
