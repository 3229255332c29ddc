package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// passing matches what a page shows of one run only.
var passing = regexp.MustCompile(`\bc-[a-z2-7]{26}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// TestPages follows pages of the docs, with their commands, on what `helve up` starts: with all
// built-in tools, whose names no tool of an example may have.
func TestPages(t *testing.T) {
	exchange := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/latest?base=EUR&symbols=USD" || r.Header.Get("Authorization") != "Bearer k1" {
			http.Error(w, "no such rate", http.StatusNotFound)
			return
		}
		fmt.Fprint(w, `{"rates": {"USD": 1.0954}}`)
	}))
	t.Cleanup(exchange.Close)
	services := filepath.Join(t.TempDir(), "services.yaml")
	write(t, services, fmt.Sprintf("- service: exchange\n  data: {url: %q, api_key: \"k1\"}\n", exchange.URL))
	h := upForTest(t, "--services", services, "--allow-host", strings.TrimPrefix(exchange.URL, "http://"))
	t.Run("operations", func(t *testing.T) {
		walk{h, t, 5}.follow("operations.md", "### One call in detail, and many together", "### Run a call again")
	})
	t.Run("tenants", func(t *testing.T) { walk{h, t, 2}.follow("deploy.md", "## Tools of each tenant", "## Credentials") })
	t.Run("dynamic tools", func(t *testing.T) {
		if lacks := lacking(confine.Probe()); lacks != nil {
			t.Skipf("this host lacks %v", lacks)
		}
		walk{h, t, 7}.follow("javascript.md", "## Dynamic tools", "### Permissions")
	})
}

// walk follows a page on a system; at least so many commands are there.
type walk struct {
	h     helve
	t     *testing.T
	least int
}

// follow runs the commands of a page between two headings, and compares what they print with the
// page. An id on the page stands for that of this run.
func (w walk) follow(page, from, to string) {
	w.t.Helper()
	ran, consent := 0, ""
	for _, step := range steps(w.t, page, from, to) {
		command, want, _ := strings.Cut(step+"\n", "\n")
		command, file, _ := strings.Cut(command, " < ")
		var given []byte
		var err error
		if file != "" {
			if given, err = os.ReadFile(filepath.Join("../../examples/javascript/dynamic", file)); err != nil {
				w.t.Fatal(err)
			}
		}
		command, ours := strings.CutPrefix(command, "helve ")
		if !ours {
			w.t.Errorf("%s has the command %q", page, command)
			continue
		}
		args := words(passing.ReplaceAllString(command, consent))
		if args[0] != "up" {
			args = append(args, "--server", w.h.server)
		}
		ran++
		code, got := w.run(given, args...)
		if found := passing.FindString(got); consent == "" {
			consent = found
		}
		fine := code == 0 || strings.Contains("\n"+got, "\npending: ")
		want = strings.TrimSpace(want)
		if same := passing.ReplaceAllString(strings.TrimSpace(got), "…") == passing.ReplaceAllString(want, "…"); !fine || want != "" && !same {
			w.t.Errorf("%s: helve %s exits with %d and prints\n%s\nthe page has\n%s", page, command, code, got, want)
		}
		if strings.HasPrefix(command, "consent grant ") { // the call that waited for it runs now
			eventually(w.t, "the tool is there", func() bool {
				_, listed := w.run(nil, "js", "list", "--server", w.h.server)
				return strings.Contains(listed, "exchange_money")
			})
		}
	}
	if ran < w.least {
		w.t.Errorf("%s: %d commands were found between %q and %q", page, ran, from, to)
	}
}

func (w walk) run(given []byte, args ...string) (code int, printed string) {
	var out bytes.Buffer
	code = cli.Run(w.t.Context(), args, bytes.NewReader(given), &out, &out, commands(nil)...)
	return code, out.String()
}

// steps returns the commands of a page between two headings, each with the lines below it.
func steps(t *testing.T, page, from, to string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n"+from+"\n")
	section, _, ends := strings.Cut(section, "\n"+to+"\n")
	if !found || !ends {
		t.Fatalf("%s has no part between %q and %q", page, from, to)
	}
	for _, block := range regexp.MustCompile("(?ms)^```(?:text|console)\n(.*?)^```$").FindAllStringSubmatch(section, -1) {
		all = append(all, strings.Split("\n"+block[1], "\n$ ")[1:]...)
	}
	return all
}

// TestBackupPage backs up and restores what `helve up` keeps with the commands of docs/deploy.md: a
// result, a file and the record of an agent of before are there again.
func TestBackupPage(t *testing.T) {
	testtime.Slow(t, "it runs helve up")
	dir := t.TempDir()
	in := func(word string) string { return filepath.Join(dir, word) }
	starts := 0
	for _, step := range steps(t, "deploy.md", "## Back up everything", "## Keys") {
		args := strings.Fields(step)
		if args[0] == "cp" {
			if said, err := exec.CommandContext(t.Context(), "cp", args[1], in(args[2]), in(args[3])).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v, %s", step, err, said)
			}
			continue
		}
		starts++
		t.Run(fmt.Sprint("start ", starts), func(t *testing.T) {
			h := upForTest(t, "--data", in(args[len(args)-1]))
			if starts == 1 {
				h.run(0, "call", "write_file", "path=notes.txt", "content=kept", "--user", "ada", "--call-id", "w1")
				h.run(0, "agents", "set", "helper", "--groups", "notes")
				return
			}
			read, _ := h.run(0, "call", "read_file", "path=notes.txt", "--user", "ada")
			h.reads("the file", read, "kept")
			h.run(0, "get", "w1")
			agent, _ := h.run(0, "agents", "show", "helper")
			h.reads("the agent", agent, "notes")
		})
	}
	if starts != 2 {
		t.Errorf("the page starts helve up %d times", starts)
	}
}

// TestPagesStartUp: each `helve up` of the docs has flags and settings that there are.
func TestPagesStartUp(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?m)^(?:\\$ )?(?:helve|go run \\./cmd/helve) (up( .*)?)$|`helve (up( "+
			"[^`]*)?)`").FindAllStringSubmatch(string(text), -1) {
			command := m[1] + m[3]
			if strings.Contains(command, "…") || strings.Contains(command, "\n") {
				continue
			}
			found++
			var out bytes.Buffer
			if code := cli.Run(t.Context(), append(words(command), "--print-config"), strings.NewReader(""), io.Discard, &out,
				commands(nil)...); code != 0 {
				t.Errorf("%s: helve %s = %d, %s", page, command, code, out.String())
			}
		}
	}
	if found < 10 {
		t.Errorf("%d commands were found", found)
	}
}

// named matches the name in a definition of a tool: a manifest, or the source of a program.
var named = regexp.MustCompile(`(?:"name"|\bName|\bname):\s*["']([a-z][a-z0-9_.]+)["'],?\s*(?:"description"|Description|description)`)

// TestExamplesDefineNewTools: no tool that an example or a page defines has the name of a tool
// that every worker has. The tests of an example may run without those.
func TestExamplesDefineNewTools(t *testing.T) {
	t.Parallel()
	found := 0
	look := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			found++
			if builtin(string(m[1])) != nil {
				t.Errorf("%s defines %s, which is built in", path, m[1])
			}
		}
	}
	for _, dir := range []string{"../../docs", "../../examples", "jsnew"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() && (d.Name() == "node_modules" || path == "../../docs/tools") {
				return fs.SkipDir
			}
			if path == "../../docs/protocol.md" {
				return nil // it shows what the server lists
			}
			switch filepath.Ext(path) {
			case ".md", ".js", ".json", ".mjs", ".ts", ".go", ".py":
				if !d.IsDir() && !strings.HasSuffix(path, "_test.go") {
					look(path)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range []string{"../../README.md", "../../CONTRIBUTING.md"} {
		look(page)
	}
	if found < 5 {
		t.Errorf("%d definitions were found", found)
	}
}
