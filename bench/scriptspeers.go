package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"modernc.org/quickjs"

	"github.com/helve-dev/helve/internal/toolbox/js/library"
)

// quickProbes returns the same scripts on QuickJS, in a new virtual machine for each
// run, as in ours.
func quickProbes() []*probe {
	var probes []*probe
	for _, c := range []struct{ name, body, args string }{
		{"noop", noopBody, noopArgs}, {"small", smallBody, smallArgs}, {"fib25", fibBody, `{}`},
	} {
		source := fmt.Sprintf("JSON.stringify((function (args) {\n%s\n})(%s))", c.body, c.args)
		probes = append(probes,
			&probe{name: "quickjs_" + c.name, about: c.name + ", QuickJS in process", slow: c.body == fibBody, call: func(context.Context) error {
				vm, err := quickjs.NewVM()
				if err != nil {
					return err
				}
				_, err = vm.Eval(source, quickjs.EvalGlobal)
				return errors.Join(err, vm.Close())
			}})
	}
	return probes
}

// nodeRuns is the number of Node processes that are started to measure the cost of
// each.
const nodeRuns = 20

// nodeEach starts Node for each call, as a simple implementation would. It is omitted
// if Node is not installed.
func nodeEach(ctx context.Context, s *Sheet) error {
	node, none := exec.LookPath("node")
	if none != nil {
		return nil //nolint:nilerr // it is there for comparison only
	}
	var times histogram
	for range nodeRuns {
		began := time.Now()
		cmd := exec.CommandContext(ctx, node, "-e", "const args = "+noopArgs+"; console.log(JSON.stringify((() => {"+noopBody+"})()))")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("node: %w: %.200s", err, out)
		}
		times.add(time.Since(began))
	}
	s.put("node_noop_p50_us", times.quantile(0.50), "noop, a process of Node for each call")
	return nil
}

// directorySize is the number of tools in a large tools directory.
const directorySize = 1000

// manyScripts loads a large tools directory.
func manyScripts(s *Sheet) error {
	dir, err := os.MkdirTemp("", "helve-bench-tools")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for i := range directorySize {
		name := fmt.Sprintf("tool_%d", i)
		manifest := fmt.Sprintf(
			`{"name": %q, "description": "Tool %d of many.", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}`, name, i,
		)
		for file, text := range map[string]string{name + ".json": manifest, name + ".js": asFile(smallBody) + fmt.Sprintf("// %d\n", i)} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				return err
			}
		}
	}
	before := heap()
	began := time.Now()
	l, err := library.Open(library.Options{Dirs: []string{dir}})
	if err != nil {
		return err
	}
	took := time.Since(began)
	if n := len(l.Tools()); n != directorySize {
		return fmt.Errorf("%d of %d tools were loaded: %v", n, directorySize, l.Problems())
	}
	s.put("load_1000_ms", float64(took.Microseconds())/1000, "milliseconds to load a directory of 1,000 tools")
	s.put("load_1000_mib", (heap()-before)/(1<<20), "MiB of memory that they keep")
	runtime.KeepAlive(l)
	return nil
}

// heap returns the bytes of live objects.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
