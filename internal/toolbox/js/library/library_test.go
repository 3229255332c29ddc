package library

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain waits for one goroutine: the clock of the regular expressions, which ends by
// itself when no match has a timeout any more.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// write puts files, by their names, into a directory.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkLoad1000 opens a directory of 1,000 tools, each with a schema of five
// parameters and about 2 KB of script, and reports their heap.
func BenchmarkLoad1000(b *testing.B) {
	dir := b.TempDir()
	files := map[string]string{}
	for i := range 1000 {
		name := fmt.Sprintf("tool_%d", i)
		files[name+".json"] = fmt.Sprintf(`{"name": %q, "description": "Looks up a thing in a service.", "risk": "low", "mutates": false, "timeoutSeconds": 10, "scopes": {"hosts": ["api.example.com"]},
			"parameters": {"properties": {"q": {"type": "string", "description": "What to look for."}, "n": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
			"kind": {"type": "string", "enum": ["a", "b", "c"]}, "ids": {"type": "array", "items": {"type": "string"}}, "deep": {"type": "object", "properties": {"x": {"type": "number"}}}}, "required": ["q"]}}`, name)
		script := fmt.Sprintf("// tool %d\nconst base = 'https://api.example.com/';\n", i)
		for j := range 10 {
			script += fmt.Sprintf("function helper%d(a, b) { const out = []; for (const x of a) { if (x.id > b) { out.push({ id: x.id, name: "+
				"`n-${x.name}` }); } } return out.sort((p, q) => p.id - q.id); }\n", j)
		}
		files[name+".js"] = script + "async function execute(params) { const r = await fetch(base + encodeURIComponent(params.q)); " +
			"return helper0((await r.json()).items, params.n); }\n"
	}
	write(b, dir, files)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	used := cpu(b)
	var l *Library
	for b.Loop() {
		var err error
		if l, err = Open(Options{Dirs: []string{dir}}); err != nil || len(l.Tools()) != 1000 || len(l.Problems()) != 0 {
			b.Fatal(err, len(l.Tools()), l.Problems())
		}
	}
	used = cpu(b) - used
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-held")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/load")
	b.ReportMetric(float64(used.Milliseconds())/float64(b.N), "cpu-ms/load") // the better measure on a busy machine
	runtime.KeepAlive(l)
}

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
