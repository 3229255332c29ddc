package filesystem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
	"golang.org/x/sys/unix"
)

func TestSearchFiles(t *testing.T) {
	files, dir := diskAt(t, map[string]string{
		"notes.txt": "Alpha\n  beta gamma \r\nALPHA again\nlast alpha", "src/alpha.go": "package a\n", "src/deep/b.go": "// alpha\n",
		"src/Alpha.bin": "alpha\x00alpha", ".hidden": "alpha", ".git/x": "alpha", "latin1": "caf\xe9 alpha\xff\n",
		"utf16":   "\xff\xfea\x00l\x00p\x00h\x00a\x00\n\x00\xe9\x00t\x00\xe9\x00",
		"bom.txt": "\ufeffalpha first\n", "greek": "ΟΔΥΣΣΕΥΣ\n", "what?.md": "what? [x]* {y}\n",
	})
	link(t, "notes.txt", filepath.Join(dir, "alpha-link"))
	link(t, "/etc/passwd", filepath.Join(dir, "root-out"))
	if err := unix.Mkfifo(filepath.Join(dir, "alpha-pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	row := func(file string, line int, content string) string {
		return fmt.Sprintf(`{"file":%q,"line":%d,"content":%q,"match":"content"}`, file, line, content)
	}
	name := func(file string) string {
		return fmt.Sprintf(`{"file":%q,"line":0,"content":%q,"match":"name"}`, file, filepath.Base(file))
	}
	result := func(query, path string, rows ...string) string {
		return fmt.Sprintf(`{"query":%q,"path":%q,"count":%d,"total":%d,"results":[%s],"truncated":false}`,
			query, path, len(rows), len(rows), strings.Join(rows, ","))
	}
	bom, b := row("bom.txt", 1, "alpha first"), row("src/deep/b.go", 1, "// alpha")
	latin, utf16 := row("latin1", 1, "caf\ufffd alpha\ufffd"), row("utf16", 1, "alpha")
	last := row("notes.txt", 4, "last alpha")
	tooltest.Run(t, Set, "search_files", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "all", Args: `{"query":"alpha"}`,
			Want: result("alpha", ".", bom, latin, row("notes.txt", 1, "Alpha"), row("notes.txt", 3, "ALPHA again"), last, name("src/Alpha.bin"),
				name("src/alpha.go"), b, utf16),
		},
		{
			Name: "case",
			Args: `{"query":"alpha","path":"","caseSensitive":true}`,
			Want: result("alpha", ".", bom, latin, last, name("src/alpha.go"), b, utf16),
		},
		{Name: "directory", Args: `{"query":"ALPHA","path":"./src/deep"}`, Want: result("ALPHA", "./src/deep", b)},
		{
			Name: "pattern of files",
			Args: `{"query":"alpha","filePattern":"*.GO, *.txt","in":"content","path":"src"}`,
			Want: result("alpha", "src", b),
		},
		{Name: "pattern of paths", Args: `{"query":"alpha","filePattern":"src/**/b.*"}`, Want: result("alpha", ".", b)},
		{Name: "names", Args: `{"query":"alpha","in":"name"}`, Want: result("alpha", ".", name("src/Alpha.bin"), name("src/alpha.go"))},
		{Name: "pattern of names", Args: `{"query":"*.go"}`, Want: result("*.go", ".", name("src/alpha.go"), name("src/deep/b.go"))},
		{Name: "deep pattern of names", Args: `{"query":"**/deep/*.go","in":"name"}`, Want: result("**/deep/*.go", ".", name("src/deep/b.go"))},
		{Name: "part of a path", Args: `{"query":"deep/b","in":"name"}`, Want: result("deep/b", ".", name("src/deep/b.go"))},
		{Name: "special characters", Args: `{"query":"? [x]* {"}`, Want: result("? [x]* {", ".", row("what?.md", 1, "what? [x]* {y}"))},
		{Name: "an open bracket", Args: `{"query":"[z-a]"}`, Want: result("[z-a]", ".")},
		{Name: "as a pattern it is bad", Args: `{"query":"[z-a]","in":"name"}`, Fails: tool.ValidationError, Message: "Invalid pattern"},
		{Name: "trimmed", Args: `{"query":"gamma"}`, Want: result("gamma", ".", row("notes.txt", 2, "beta gamma"))},
		{Name: "letters with two small forms", Args: `{"query":"οδυσσευς"}`, Want: result("οδυσσευς", ".", row("greek", 1, "ΟΔΥΣΣΕΥΣ"))},
		{Name: "hidden", Args: `{"query":"alpha","includeHidden":true,"path":".git"}`, Want: result("alpha", ".git", row(".git/x", 1, "alpha"))},
		{Name: "nothing", Args: `{"query":"omega","path":"src"}`, Want: result("omega", "src")},
		{
			Name: "limit", Args: `{"query":"alpha","maxResults":1}`,
			Want:  `{"query":"alpha","path":".","count":1,"total":9,"results":[` + bom + `],"truncated":true}`,
			Check: noted("showing 1 of 9 matches; set maxResults (at most 100), or narrow path, filePattern or query."),
		},
		{
			Name:  "exactly the limit",
			Args:  `{"query":"alpha","path":"src/deep","maxResults":1}`,
			Check: noted(),
			Want:  result("alpha", "src/deep", b),
		},
		{Name: "bad limit", Args: `{"query":"gamma","maxResults":-3}`, Want: result("gamma", ".", row("notes.txt", 2, "beta gamma"))},
		{Name: "no query", Args: `{"path":"."}`, Fails: tool.ValidationError, Message: "query"},
		{Name: "empty query", Args: `{"query":""}`, Fails: tool.ValidationError, Message: "query"},
		{Name: "long query", Args: `{"query":"` + strings.Repeat("x", 1001) + `"}`, Fails: tool.ValidationError, Message: "query"},
		{Name: "two lines", Args: `{"query":"a\nb"}`, Fails: tool.ValidationError, Message: "line by line"},
		{Name: "bad file pattern", Args: `{"query":"a","filePattern":"[z-a]"}`, Fails: tool.ValidationError, Message: "Invalid pattern"},
		{Name: "missing", Args: `{"query":"a","path":"no"}`, Fails: tool.FileNotFound},
		{Name: "one file", Args: `{"query":"last","path":"./notes.txt"}`, Want: result("last", "./notes.txt", last)},
		{Name: "one hidden file", Args: `{"query":"alpha","path":".hidden"}`, Want: result("alpha", ".hidden", row(".hidden", 1, "alpha"))},
		{
			Name: "one file, limited",
			Args: `{"query":"alpha","path":"notes.txt","maxResults":2}`,
			Want: `{"query":"alpha","path":"notes.txt","count":2,"total":3,"results":[` + row("notes.txt", 1, "Alpha") + `,` +
				row("notes.txt", 3, "ALPHA again") + `],"truncated":true}`,
		},
		{Name: "a pipe", Args: `{"query":"zzz","path":"alpha-pipe"}`, Want: result("zzz", "alpha-pipe")},
		{Name: "outside", Args: `{"query":"a","path":"/etc"}`, Fails: tool.PathNotAllowed},
	})
	wantDead(t, "search_files", `{"query":"a"}`)
}

func TestSearchFilesLongLines(t *testing.T) {
	wide := strings.Repeat("é", 40_000) + "NEEDLE" + strings.Repeat("y", 100_000) + "needle\n"
	border := strings.Repeat("x", maxPiece-3) + "needle"
	files := disk(t, map[string]string{
		"border": "\n" + border + "\nneedle\n",
		"wide":   wide,
		"zeros":  strings.Repeat("needle\n", 2000) + "\x00needle\n",
		"many":   strings.Repeat("hit\n", maxFound+9),
	})
	tooltest.Run(t, Set, "search_files", tool.Call{Files: files}, []tooltest.Case{
		{Name: "more than are counted, noted", Args: `{"query":"hit","maxResults":1}`, Check: func(t *testing.T, res tool.Result) {
			want := "There may be more matches than total says, because only 10000 are counted; narrow the search."
			if !slices.Contains(res.Notes, want) {
				t.Errorf("notes %q, want %q", res.Notes, want)
			}
		}},
		{
			Name: "more than are counted",
			Args: `{"query":"hit","maxResults":1}`,
			Want: `{"query":"hit","path":".","count":1,"total":10000,"results":[{"file":"many","line":1,"content":"hit","match":"content"}],"truncated":true,"totalIsFloor":true}`,
		},
		{Name: "long", Args: `{"query":"needle","filePattern":"wide"}`, Check: func(t *testing.T, res tool.Result) {
			var got searchFilesResult
			if err := json.Unmarshal(res.Value, &got); err != nil || got.Count != 1 {
				t.Fatalf("%d results, %v, want 1 for a line", got.Count, err)
			}
			c := got.Results[0].Content
			if !strings.Contains(c, "NEEDLE") || !strings.HasPrefix(c, "…é") || !strings.HasSuffix(c, "y…") || len(c) > maxShown+10 ||
				strings.Contains(c, "\ufffd") {
				t.Errorf("content %q, want what is around the needle", c)
			}
		}},
		{Name: "in two pieces", Args: `{"query":"needle","filePattern":"border"}`, Check: func(t *testing.T, res tool.Result) {
			var got searchFilesResult
			if err := json.Unmarshal(res.Value, &got); err != nil || got.Count != 2 || got.Results[0].Line != 2 || got.Results[1].Line != 3 {
				t.Errorf("results %+v, %v, want lines 2 and 3", got.Results, err)
			}
		}},
	})
}

// many creates 100,000 sparse files of 100 KiB in a few directories. Most are hard
// links, which are much faster to create.
func many(tb testing.TB, dir string) {
	tb.Helper()
	for d := range 100 {
		in := filepath.Join(dir, fmt.Sprintf("d%02d", d))
		if err := os.MkdirAll(in, 0o700); err != nil {
			tb.Fatal(err)
		}
		name := func(i int) string { return filepath.Join(in, fmt.Sprintf("file-%05d.dat", d*1000+i)) }
		f, err := os.Create(name(0))
		if err != nil {
			tb.Fatal(err)
		}
		err = errors.Join(f.Truncate(100<<10), f.Close())
		for i := 1; i < 1000 && err == nil; i++ {
			err = os.Link(name(0), name(i))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func TestSearchManyFiles(t *testing.T) {
	testtime.Slow(t, "it makes 100,000 files")
	files, dir := diskAt(t, map[string]string{"d50/zz.txt": "the needle\n"})
	many(t, dir)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	tooltest.Run(t, Set, "search_files", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "one name", Args: `{"query":"FILE-77777","in":"name"}`,
			Want: `{"query":"FILE-77777","path":".","count":1,"total":1,"results":[{"file":"d77/file-77777.dat","line":0,"content":"file-77777.dat","match":"name"}],"truncated":false}`,
		},
		{Name: "all names", Args: `{"query":"*.dat","maxResults":100,"in":"name"}`, Check: func(t *testing.T, res tool.Result) {
			var got searchFilesResult
			if err := json.Unmarshal(res.Value, &got); err != nil || got.Count != 100 || !got.Truncated ||
				got.Results[99].File != "d00/file-00099.dat" {
				t.Errorf("%d results, truncated %v, %v, want the first 100 and true", got.Count, got.Truncated, err)
			}
		}},
		{
			Name: "content", Args: `{"query":"needle"}`,
			Want: `{"query":"needle","path":".","count":1,"total":1,"results":[{"file":"d50/zz.txt","line":1,"content":"the needle","match":"content"}],"truncated":false}`,
		},
	})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("after the searches %d bytes more are in use, want at most 16 MiB", grown)
	}
}

// Memory does not depend on the length of a line.
func TestNeedleMemory(t *testing.T) {
	n := needleOf("needle", false)
	const size = 64 << 20
	one := &repeated{text: []byte(strings.Repeat("x", 1000)), left: size}
	allocs := testing.AllocsPerRun(1, func() {
		one.left = size
		if ok, err := n.lines(one, func(int, string) bool { return true }); !ok || err != nil {
			t.Errorf("lines = %v, %v", ok, err)
		}
	})
	if allocs > 100 || cap(n.window) > 4*maxPiece || cap(n.folded) > 4*maxPiece {
		t.Errorf("%v allocations, buffers of %d and %d, want memory that does not grow with the line", allocs, cap(n.window), cap(n.folded))
	}
}

// repeated is a line without end.
type repeated struct {
	text []byte
	left int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, r.text)
	r.left -= n
	return n, nil
}

// When the time is over, the matches so far are returned; when the caller is gone,
// nothing.
func TestSearchFilesInTime(t *testing.T) {
	files := disk(t, map[string]string{"a": "needle", "b": "needle"})
	call := &tool.Call{Files: files, Clock: tooltest.Clock{T: time.Now()}}
	synctest.Test(t, func(t *testing.T) { // on a busy machine the time reserved for the answer could run out
		call := &tool.Call{Files: files, Clock: tooltest.Clock{T: time.Now()}}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		call.Deadline, _ = ctx.Deadline()
		h := hunt{dir: ".", more: func(ctx context.Context, _ string, _ tool.Entry) (bool, error) {
			<-ctx.Done()
			return true, ctx.Err()
		}}
		sum, err := h.run(ctx, call)
		if err != nil || !sum.Truncated || !sum.TimedOut || ctx.Err() != nil {
			t.Errorf("a search that takes too long = %+v, %v, the call's end %v, want it cut before that", sum, err, ctx.Err())
		}
	})
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := searchFiles(gone, call, searchFilesArgs{Query: "needle"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: error %v, want %v", err, context.Canceled)
	}
}

func FuzzNeedle(f *testing.F) {
	f.Add("needle", "a\nthe NEEDLE\n", true)
	f.Add("é", "\xff\xfee\x00", false)
	f.Add("ß", "STRASSE ß İ K", false)
	f.Fuzz(func(t *testing.T, query, text string, exact bool) {
		if query == "" || strings.ContainsAny(query, "\r\n\x00") || len(text) > 10_000 {
			return
		}
		found := 0
		ok, err := needleOf(query, exact).lines(strings.NewReader(text), func(number int, line string) bool {
			found++
			if strings.ToValidUTF8(line, "") != line || number < 1 || len(line) > 3*maxShown {
				t.Errorf("line %d %q", number, line)
			}
			return true
		})
		if err != nil {
			t.Errorf("lines: %v", err)
		}
		if ok && exact && !wide([]byte(text)) && (found > 0) != strings.Contains(text, query) {
			t.Errorf("%q in %q: found %d", query, text, found)
		}
	})
}

// A search of 100,000 files of 10 GB by name, and in names and contents.
func BenchmarkSearchFiles(b *testing.B) {
	data := b.TempDir()
	dir := filepath.Join(data, "workspaces", "acme", "u1")
	many(b, dir)
	call := &tool.Call{Files: workspaceUnder(b, data), Clock: tooltest.Clock{T: time.Now()}}
	for _, in := range []string{inNames, inAll} {
		b.Run(in, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				res, err := searchFiles(b.Context(), call, searchFilesArgs{Query: "file-77777", In: in})
				if err != nil || res.Count != 1 {
					b.Fatal(res, err)
				}
			}
		})
	}
}
