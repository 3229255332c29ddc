package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// FuzzLoad: whatever the file, the environment and the flags hold, Load ends
// in a valid Config that its YAML round-trips to, or in problems that say where.
func FuzzLoad(f *testing.F) {
	f.Add("nats: {prefix: a.b}\nworker:\n  pools: [a]\n", "HELVE_NATS_URL=nats://u:p@h:1", "--slots 5")
	f.Add("nats: {url: [}", "HELVE_LOG_LEVEL=loud\nHELVE_X", "--pools a,b --pools c")
	f.Add("a: &a [*a]\n? {b: c}\n: d\nnats.url: x", "HELVE_HTTP_MAX_BODY=-1KiB", "--consent-ttl 1s")
	f.Add("worker:\n  pools: !!binary AAAA\n  slots: 0x10\n1: 2\n.nan: .inf", "HELVE__=1", "--http :0")
	name := filepath.Join(f.TempDir(), "helve.yaml")
	f.Fuzz(func(t *testing.T, text, environ, args string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		fs := pflag.NewFlagSet("fuzz", pflag.ContinueOnError)
		Flags(fs, Worker)
		if fs.Parse(strings.Fields(args)) != nil {
			return
		}
		got, err := Load(Source{File: name, Env: strings.Split(environ, "\n"), Flags: fs})
		if err != nil {
			for _, line := range lines(t, err) {
				if at, what, ok := strings.Cut(line, ": "); !ok || at == "" || what == "" {
					t.Errorf("problem %q does not say where and what", line)
				}
			}
			return
		}
		if err := got.Validate(); err != nil {
			t.Errorf("Load returned a Config that Validate refuses: %v", err)
		}
		back, err := got.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, back, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Load(Source{File: name})
		for _, p := range []*string{&got.NATS.URL, &got.NATS.MonitorURL, &got.Telemetry.OTLPEndpoint} {
			*p = maskURLs(*p)
		}
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			t.Errorf("Load(YAML()) = %v, differs (-want +got):\n%s\n%s", err, diff, back)
		}
	})
}
