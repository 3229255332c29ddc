package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/worker"
	workerparts "github.com/helve-dev/helve/worker/parts"
)

func TestMain(m *testing.M) {
	worker.Child(workerparts.All()...) // `helve doctor` starts this very program
	testscript.Main(m, map[string]func(){
		"helve": func() {
			os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, jsCommand()))
		},
	})
}

// TestJSScripts runs the commands as an author of tools does, against a server
// of weather.
func TestJSScripts(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"city": %q, "degrees": 21.5, "key": %q}`, r.URL.Query().Get("city"), r.Header.Get("Authorization"))
	}))
	t.Cleanup(srv.Close) // the scripts run when this function has returned
	testscript.Run(t, testscript.Params{
		Dir: "testdata/js",
		Setup: func(env *testscript.Env) error {
			env.Setenv("WEATHER", srv.URL)
			env.Setenv("WEATHER_HOST", strings.TrimPrefix(srv.URL, "http://"))
			return nil
		},
	})
}

// TestJSDiff: values are compared, not their spellings.
func TestJSDiff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want, got string
		differ    []string
	}{
		{`{"a": 1.0, "b": [true, null]}`, `{"b":[true,null],"a":1}`, nil},
		{`"é"`, `"\u00e9"`, nil},
		{`{"a": 1, "b": 2}`, `{"a": 1, "b": 3}`, []string{`-  "b": 2`, `+  "b": 3`, `   "a": 1`}},
		{`1`, `"1"`, []string{"-1", `+"1"`}},
		{`[]`, `{}`, []string{"-[]", "+{}"}},
		{`null`, `""`, []string{"-null"}},
	} {
		got := jsDiff([]byte(tt.want), []byte(tt.got))
		if (got == "") != (tt.differ == nil) {
			t.Errorf("jsDiff(%s, %s) = %q", tt.want, tt.got, got)
		}
		for _, line := range tt.differ {
			if !strings.Contains(got, line) {
				t.Errorf("jsDiff(%s, %s) = %q, want it to have %q", tt.want, tt.got, got, line)
			}
		}
	}
}
