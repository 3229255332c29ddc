package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// drive is a file service as used by operators' scripts.
type drive struct {
	mu    sync.Mutex
	files map[string]string
}

func (d *drive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer t0ken,=1" {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	show := func(id string) map[string]any {
		return map[string]any{"id": id, "name": id + ".txt", "content": d.files[id]}
	}
	id := strings.TrimPrefix(r.URL.Path, "/files/")
	switch {
	case r.URL.Path == "/current.json":
		fmt.Fprintf(w, `{"current":{"temp_c":21.5,"condition":{"text":"Sunny in %s"}}}`, r.URL.Query().Get("q"))
	case r.Method == http.MethodPost:
		var in struct{ Name, Content string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		d.files[in.Name] = in.Content
		_ = json.NewEncoder(w).Encode(show(in.Name))
	case r.URL.Path == "/files":
		_ = json.NewEncoder(w).Encode(map[string]any{"files": []any{show("a")}})
	case d.files[id] == "":
		http.Error(w, "no such file", http.StatusNotFound)
	case r.Method == http.MethodDelete:
		delete(d.files, id)
		w.WriteHeader(http.StatusNoContent)
	default:
		_ = json.NewEncoder(w).Encode(show(id))
	}
}

// scripted starts a system with a tools directory that holds the files of
// testdata/tools, and returns the directory.
func scripted(t *testing.T, workers int) (*system.System, string) {
	t.Helper()
	dir, env := t.TempDir(), []string{}
	srv := httptest.NewServer(&drive{files: map[string]string{"a": "alpha", "b": "beta"}})
	t.Cleanup(srv.Close)
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer t0ken,=1")
		(&drive{}).ServeHTTP(w, r)
	}))
	t.Cleanup(open.Close)
	if err := os.CopyFS(dir, os.DirFS("testdata/tools")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"list_files", "read_file", "upload_file", "delete_file", "get_metadata", "read_many"} {
		env = append(env, "google_drive_"+name+".DRIVE_URL="+srv.URL, "google_drive_"+name+".DRIVE_TOKEN=t0ken,=1")
	}
	env = append(env, "weather_lookup.WEATHER_URL="+open.URL)
	return system.Launch(t, system.Plan{Workers: workers, Config: func(c *config.Config) { c.ToolsDirs, c.ToolEnv = []string{dir}, env }}), dir
}

// TestOperatorScripts: a group of the shape of a real service, and a single tool.
func TestOperatorScripts(t *testing.T) {
	t.Parallel()
	s, _ := scripted(t, 1)
	system.EveryDoor(t, s, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		run := func(tool, args string) system.Element {
			t.Helper()
			return system.Execute(t, d, tenant, system.AsUser(20000, fmt.Sprintf(`{"tool": %q, "arguments": %s}`, tool, args))).Results[0]
		}
		system.WantResult(t, run("google_drive_list_files", `{}`), `{"files":[{"id":"a","name":"a.txt"}],"count":1}`)
		system.WantResult(t, run("google_drive_read_file", `{"file_id":"a"}`), `"alpha"`)
		system.WantResult(t, run("google_drive_upload_file", `{"name":"c","content":"gamma"}`), `{"content":"gamma","id":"c","name":"c.txt"}`)
		system.WantResult(t, run("google_drive_get_metadata", `{"file_id":"c"}`), `{"id":"c","name":"c.txt","size":5}`)
		system.WantResult(t, run("google_drive_read_many", `{"file_ids":["a","b"]}`), `{"a":"alpha","b":"beta"}`)
		system.WantError(t, run("google_drive_read_file", `{"file_id":"zzz"}`), "execution_error", "Drive answered 404")
		system.WantError(t, run("google_drive_read_file", `{}`), "validation_error", "file_id")
		system.WantResult(t, run("weather_lookup", `{"city":"Köln"}`), `{"city":"Köln","temp":21.5,"condition":"Sunny in Köln"}`)
		if e := run("google_drive_delete_file", `{"file_id":"c"}`); e.State != "awaiting_consent" {
			t.Errorf("a medium tool of a script was answered %v, want it to await consent", e)
		}
		var def struct {
			Kind, Risk string
			Mutates    bool
			Timeout    float64 `json:"timeout_seconds"`
		}
		r := d.Ask(t, tenant, "tools.get", map[string]string{"name": "google_drive_upload_file"}, "")
		if err := json.Unmarshal(r.Body, &def); err != nil || def.Kind != "js" || def.Risk != "low" || !def.Mutates || def.Timeout != 10 {
			t.Errorf("the definition is %+v of %s, %v", def, r.Body, err)
		}
	})
}

type toolsList struct {
	Tools      []struct{ Name, Kind string }
	LoadErrors []struct {
		File   string
		Entry  *int
		Reason string
	} `json:"load_errors"`
}

func (l toolsList) has(name string) bool {
	for _, t := range l.Tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

func (l toolsList) complains(file, reason string) bool {
	for _, e := range l.LoadErrors {
		if e.File == file && strings.Contains(e.Reason, reason) {
			return true
		}
	}
	return false
}

// TestScriptsChange: files that are added, changed, broken and removed take effect while
// the system runs.
func TestScriptsChange(t *testing.T) {
	t.Parallel()
	s, dir := scripted(t, 2)
	d, tenant := s.HTTP(0), system.NewTenant()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list := func() toolsList { return system.Decode[toolsList](t, d.Ask(t, tenant, "tools.list", nil, "")) }
	says := func(want string) func() bool {
		return func() bool {
			for range 4 { // either worker
				if e := system.Execute(t, d, tenant, `{"calls": [{"tool": "greet"}]}`).Results[0]; string(e.Result) != want {
					return false
				}
			}
			return true
		}
	}
	if l := list(); len(l.LoadErrors) != 0 || !l.has("weather_lookup") {
		t.Fatalf("at the start there are %+v", l)
	}
	write("greet.json", `{"name": "greet", "description": "Greets.", "mutates": false}`)
	write("greet.js", `const execute = () => "hello"`)
	system.Eventually(t, "the new tool runs on both workers", says(`"hello"`))

	write("greet.js", `const execute = () => "good day"`)
	system.Eventually(t, "the changed tool runs on both workers", says(`"good day"`))

	write("greet.js", `const execute = () => {`)
	system.Eventually(t, "the broken file is reported", func() bool {
		return list().complains("greet.json", "") || list().complains("greet.js", "")
	})
	if !says(`"good day"`)() {
		t.Error("a broken change is not to take the tool away")
	}
	write("greet.js", `const execute = () => "again"`)
	system.Eventually(t, "the mended tool runs", says(`"again"`))
	system.Eventually(t, "nothing is reported any more", func() bool { return len(list().LoadErrors) == 0 })

	write("group.json", `[{"name": "one", "function": "one", "description": "One."}, {"name": "Two", "function": "two", "description": "Two."}, {"name": "three", "function": "nope", "description": "Three."}]`)
	write("group.js", `function one() { return 1 } function two() { return 2 }`)
	system.Eventually(t, "what is wrong with a group is reported, and the rest is there", func() bool {
		l := list()
		return l.has("one") && !l.has("three") && l.complains("group.json", "Two") && l.complains("group.json", "nope")
	})

	for _, name := range []string{"greet.js", "greet.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	system.Eventually(t, "a tool whose files were removed is gone", func() bool { return !list().has("greet") })
	system.WantError(t, system.Execute(t, d, tenant, `{"calls": [{"tool": "greet"}]}`).Results[0], "tool_not_found", "greet")
}

// TestCustomToolLib: a script that a model wrote finds the operator's libraries.
func TestCustomToolLib(t *testing.T) {
	t.Parallel()
	s, dir := scripted(t, 1)
	if err := os.MkdirAll(filepath.Join(dir, "lib"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lib", "maths.js"), []byte("exports.twice = (n) => 2 * n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tenant := system.NewTenant()
	system.CreateTool(t, s, tenant, system.CustomTool{Name: "doubler", Code: `return lib("maths").twice(21)`})
	system.Eventually(t, "the library is found", func() bool {
		return string(system.UseTool(t, s.HTTP(0), tenant, "doubler", `{}`).Result) == "42"
	})
}
