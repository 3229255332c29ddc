package library

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/helve-dev/helve/tool"
)

// single returns the two files of a tool that returns text.
func single(name, text string) map[string]string {
	return map[string]string{
		name + ".json": fmt.Sprintf(`{"name": %q, "description": "A tool."}`, name),
		name + ".js":   fmt.Sprintf("function execute() { return %q }", text),
	}
}

// group returns the files of a group of entries {name, function} with a script.
func group(script string, entries ...[2]string) (manifest, code string) {
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = fmt.Sprintf(`{"name": %q, "description": "A tool.", "function": %q}`, e[0], e[1])
	}
	return "[" + strings.Join(list, ",") + "]", script
}

func open(t *testing.T, opts Options) *Library {
	t.Helper()
	l, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// call runs a tool of the library by name and returns its value.
func call(t *testing.T, l *Library, name, args string) (string, error) {
	t.Helper()
	i := slices.IndexFunc(l.Tools(), func(x Loaded) bool { return x.Tool.Name == name })
	if i < 0 {
		return "", fmt.Errorf("there is no tool %s", name)
	}
	inv, err := l.Tools()[i].Tool.Bind([]byte(args))
	if err != nil {
		return "", err
	}
	res, err := inv.Run(t.Context(), &tool.Call{ID: "c", Tenant: "default", Tool: name})
	return string(res.Value), err
}

func names(l *Library) []string {
	var all []string
	for _, x := range l.Tools() {
		all = append(all, x.Tool.Name)
	}
	return all
}

// wantProblems compares the beginnings of the problems.
func wantProblems(t *testing.T, l *Library, want ...string) {
	t.Helper()
	var got []string
	for _, p := range l.Problems() {
		got = append(got, p.String())
	}
	if len(got) != len(want) || !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("problems are\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestGroupAndSingle: files of both kinds work beside each other, each tool runs its
// own function, and a group has one Program.
func TestGroupAndSingle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	manifest,
		code := group("const p = 'drive:'; async function listFiles(a) { return p + 'list ' + a.q } const readFile = async () => p + 'read'",
		[2]string{"drive_list", "listFiles"}, [2]string{"drive_read", "readFile"})
	write(t, dir, map[string]string{"google_drive.json": manifest, "google_drive.js": code})
	write(t, dir, single("weather", "sun"))
	l := open(t, Options{Dirs: []string{dir}})
	wantProblems(t, l)
	for _, tt := range [][3]string{
		{"drive_list", `{"q":"x"}`, `"drive:list x"`}, {"drive_read", `{}`, `"drive:read"`}, {"weather", `{}`, `"sun"`},
	} {
		if got, err := call(t, l, tt[0], tt[1]); got != tt[2] || err != nil {
			t.Errorf("%s = %s, %v, want %s", tt[0], got, err, tt[2])
		}
	}
	first := l.Tools()[0]
	if first.File != "google_drive.json" || first.Entry != 0 || first.Function != "listFiles" || first.Schema == nil || first.Dir != dir {
		t.Errorf("the first tool is %+v", first)
	}
	if p := l.folders[0].pairs["google_drive"].program; p == nil || len(l.folders[0].pairs["google_drive"].tools) != 2 {
		t.Errorf("the group has program %v", p)
	}
}

// TestBadFilesCostOnlyThemselves: whatever a directory contains, the valid tools load
// and each problem names its place.
func TestBadFilesCostOnlyThemselves(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, single("secret", "x"))
	write(t, dir, single("good", "1"))
	write(t, dir, map[string]string{
		"alone.json": `{}`, "stray.js": "function execute() {}", "notes.txt": "x", ".hidden.json": "{", "good.test.json": "nonsense",
		"broken.json": `{"name": "broken", "description": "x"}`, "broken.js": "function execute( {",
		"syntax.json": "{\n  \"name\": ]", "syntax.js": "",
		"mixed.json": `[{"name": "ok", "description": "x", "function": "f"}, {"name": "bad"}, {"name": "gone", "description": "x", "function": "nowhere"}]`,
		"mixed.js":   "function f() {}",
		"huge.json":  `{"name": "huge", "description": "x"}`, "huge.js": strings.Repeat(" ", 1<<20+1),
		"lib/broken.js": "]", "lib/readme.md": "x",
	})
	for name, target := range map[string]string{
		"secret.json": outside + "/secret.json", "secret.js": outside + "/secret.js", "lib/away.js": "../../x.js",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.json"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, Options{Dirs: []string{dir}})
	if got := names(l); !slices.Equal(got, []string{"good", "ok"}) {
		t.Errorf("tools are %v, want good and ok", got)
	}
	wantProblems(t, l,
		"alone.json: alone.js is missing",
		"broken.js: broken.js:1:",
		"huge.js: cannot be read: it has more than 1048576 bytes",
		"lib/away.js: cannot be read: ",
		"lib/broken.js: lib/broken.js:1:",
		"mixed.json[1]: function is missing", "mixed.json[1]: description is missing", "mixed.json[2]: mixed.js defines no function nowhere",
		"secret.js: cannot be read: path escapes", "secret.json: cannot be read: path escapes",
		"stray.js: warning: stray.json is missing",
		"syntax.json: not valid JSON: ",
	)
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	builtin := fstest.MapFS{}
	for name, text := range single("shipped", "built in") {
		builtin[name] = &fstest.MapFile{Data: []byte(text)}
	}
	manifest, code := group("function f() { return 'group' }", [2]string{"one", "f"}, [2]string{"read_file", "f"}, [2]string{"shipped", "f"})
	write(t, first, map[string]string{"a.json": manifest, "a.js": code})
	write(t, first, single("one", "single"))
	write(t, second, single("one", "other"))
	write(t, second, single("two", "two"))
	opts := Options{Dirs: []string{first, second, first + "/"}, Builtin: builtin, Taken: func(name string) bool { return name == "read_file" }}
	l := open(t, opts)
	if got := names(l); !slices.Equal(got, []string{"shipped", "one", "two"}) {
		t.Errorf("tools are %v", got)
	}
	wantProblems(t, l,
		"a.json[1]: the name read_file is taken by a built-in tool", "a.json[2]: the name shipped is taken by a built-in tool",
		"one.json: the name one is taken by a.json",
		"one.json: the name one is taken by a.json of another tools directory")
	if strings.HasSuffix(l.Problems()[2].Reason, "directory") || !strings.HasSuffix(l.Problems()[3].Reason, " of another tools directory") {
		t.Errorf("problems are %v, want the last one to be between directories", l.Problems()[2:])
	}
	if got, err := call(t, l, "one", "{}"); got != `"group"` || err != nil {
		t.Errorf("one = %s, %v, want the first of its name", got, err)
	}

	opts.AllowOverride = true
	l = open(t, opts)
	wantProblems(t, l, "one.json: ", "one.json: ")
	for _, x := range l.Tools() {
		if want := x.Tool.Name == "read_file" || x.Tool.Name == "shipped"; x.Overrides != want {
			t.Errorf("%s overrides %v, want %v", x.Tool.Name, x.Overrides, want)
		}
	}
	if got, err := call(t, l, "shipped", "{}"); got != `"group"` || err != nil {
		t.Errorf("shipped = %s, %v, want the tool that overrides", got, err)
	}
}

func TestOpenNeedsItsDirectories(t *testing.T) {
	t.Parallel()
	if _, err := Open(Options{Dirs: []string{t.TempDir() + "/none"}}); err == nil || !strings.Contains(err.Error(), "/none") {
		t.Errorf("Open of no directory = %v, want an error that names it", err)
	}
}

// TestCheck: a tool that the worker refuses is a problem like any other.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, single("a", ""))
	write(t, dir, single("b", ""))
	l := open(t, Options{Dirs: []string{dir}, Check: func(d *tool.Definition) error {
		if d.Name == "a" {
			return fmt.Errorf("permission p is not known")
		}
		return nil
	}})
	wantProblems(t, l, "a.json: permission p is not known")
	if got := names(l); !slices.Equal(got, []string{"b"}) {
		t.Errorf("tools are %v, want b", got)
	}
}

// TestReadWaitsForNobody: a pipe that replaced a file after the listing is refused, not
// waited for.
func TestReadWaitsForNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.js"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, done, err := onDisk(dir)()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if _, err := read(files, "pipe.js"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("read of a pipe = %v, want it refused", err)
	}
}
