//go:build linux

package programs_test

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
)

func TestProbe(t *testing.T) {
	p := programs.New(options(t, programs.Options{}, t.TempDir()))
	parts := p.Probe(t.Context())
	name, err := p.Space(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) < 4 || parts[0].Name != "programs" || !parts[0].OK || !strings.Contains(parts[0].Detail, name) {
		t.Errorf("Probe = %+v with %s", parts, name)
	}
}

// Where the launcher cannot be had, nothing runs, unless the operator wants it.
func TestNotConfined(t *testing.T) {
	for _, launcher := range [][]string{{"/bin/true"}, {"/no/such/launcher"}, {"/bin/echo", "{}"}} {
		o := options(t, programs.Options{Launcher: launcher}, t.TempDir())
		for _, unconfined := range []bool{false, true} {
			o.Unconfined = unconfined
			p := programs.New(o)
			port, err := p.For("t", "u")
			if err != nil {
				t.Fatal(err)
			}
			ran, err := port.Run(t.Context(), sh("echo ran"))
			if unconfined && (err != nil || string(ran.Stdout) != "ran\n") {
				t.Errorf("unconfined: %+v, %v", ran, err)
			}
			if !unconfined {
				wantKind(t, err, tool.NotConfigured, "programs.unconfined: true")
			}
			if parts := p.Probe(t.Context()); parts[0].OK != unconfined {
				t.Errorf("Probe with unconfined %v = %+v", unconfined, parts[0])
			}
		}
	}
}
