package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// file writes text to a file and returns its name.
func file(tb testing.TB, text string) string {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "helve.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return name
}

// parsed returns role's flags after parsing args.
func parsed(tb testing.TB, role Role, args ...string) *pflag.FlagSet {
	tb.Helper()
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	Flags(fs, role)
	if err := fs.Parse(args); err != nil {
		tb.Fatal(err)
	}
	return fs
}

// lines returns the problems of err, one a line.
func lines(tb testing.TB, err error) []string {
	tb.Helper()
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		tb.Fatalf("%T is not a joined error: %v", err, err)
	}
	var all []string
	for _, e := range joined.Unwrap() {
		if _, ok := errors.AsType[*Problem](e); !ok {
			tb.Errorf("%T is not a *Problem: %v", e, e)
		}
		all = append(all, e.Error())
	}
	return all
}

func TestLoadPrecedence(t *testing.T) {
	name := file(t, "worker: {slots: 1, max_attempts: 11}\nconsent:\n  ttl: 1m\n")
	env := []string{"HELVE_WORKER_SLOTS=2", "HELVE_CONSENT_TTL=2m"}
	got, err := Load(Source{File: name, Env: env, Flags: parsed(t, Worker, "--slots", "3")})
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Worker.Slots = 3
	want.Worker.MaxAttempts = 11
	want.Consent.TTL = 2 * time.Minute
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load differs (-want +got):\n%s", diff)
	}
}

func TestLoadReplacesLists(t *testing.T) {
	name := file(t, "worker: {pools: [a, b]}\n")
	for _, tt := range []struct {
		src  Source
		want []string
	}{
		{Source{}, []string{"default"}},
		{Source{File: name}, []string{"a", "b"}},
		{Source{File: name, Env: []string{"HELVE_WORKER_POOLS=c, d"}}, []string{"c", "d"}},
		{Source{File: name, Env: []string{"HELVE_WORKER_POOLS=c"}, Flags: parsed(t, Worker, "--pools", "e,f")}, []string{"e", "f"}},
		{Source{File: name, Flags: parsed(t, Worker)}, []string{"a", "b"}},
	} {
		got, err := Load(tt.src)
		if diff := cmp.Diff(tt.want, got.Worker.Pools); err != nil || diff != "" {
			t.Errorf("Load(%+v) = %v, pools differ (-want +got):\n%s", tt.src, err, diff)
		}
	}
}

func TestLoadFindsTheFile(t *testing.T) {
	one, two, three := file(t, "data: one"), file(t, "data: two"), file(t, "data: three")
	env := []string{"HELVE_CONFIG=" + three}
	for _, tt := range []struct {
		src  Source
		want string
	}{
		{Source{File: one, Env: env, Flags: parsed(t, Up, "--config", two)}, "one"},
		{Source{Env: env, Flags: parsed(t, Up, "--config", two)}, "two"},
		{Source{Env: env, Flags: parsed(t, Up)}, "three"},
		{Source{Flags: pflag.NewFlagSet("none", pflag.ContinueOnError)}, "./data"},
	} {
		if got, err := Load(tt.src); err != nil || got.Data != tt.want {
			t.Errorf("Load(%+v).Data = %q, %v, want %q", tt.src, got.Data, err, tt.want)
		}
	}
}

func TestLoadNamesEveryProblemAtOnce(t *testing.T) {
	name := file(t, "nats:\n  urll: x\ndurability: {replicas: 2}\nworker: {slots: many}\nstreams: 5\n")
	env := []string{"HELVE_STREAMS_RESULTS_MAX_AGE=59m", "HELVE_LOG_LEVELS=debug", "HELVE_NATS_CONNECT_TIMEOUT=2"}
	got, err := Load(Source{File: name, Env: env, Flags: parsed(t, Worker, "--profile", "lax", "--pools", "a,a")})
	if diff := cmp.Diff(Config{}, got); diff != "" {
		t.Errorf("Load returned a Config beside its error:\n%s", diff)
	}
	in := " (set by " + name + ")"
	want := []string{
		"nats.urll: unknown key; the nearest is nats.url" + in,
		"streams: is the number 5; want a section with keys of its own" + in,
		`worker.slots: is "many"; want a whole number` + in,
		"HELVE_LOG_LEVELS: unknown variable; the nearest is HELVE_LOG_LEVEL",
		`nats.connect_timeout: is "2"; want a duration such as "500ms", "2s" or "24h" (set by HELVE_NATS_CONNECT_TIMEOUT)`,
		"durability.replicas: is 2; want 1, 3 or 5" + in,
		"streams.results_max_age: is 59m; want 1h to 8760h (set by HELVE_STREAMS_RESULTS_MAX_AGE)",
		`worker.pools: has "a" twice; want each pool once (set by --pools)`,
		`profile: is "lax"; want strict, standard or auto (set by --profile)`,
	}
	if diff := cmp.Diff(want, lines(t, err)); diff != "" {
		t.Errorf("Load's problems differ (-want +got):\n%s", diff)
	}
}

func TestLoadGoesOnWithoutTheFile(t *testing.T) {
	_, err := Load(Source{File: filepath.Join(t.TempDir(), "none.yaml"), Env: []string{"HELVE_DATA= "}})
	got := lines(t, err)
	if len(got) != 2 || !strings.Contains(got[0], "none.yaml: cannot be read") || !strings.Contains(got[1], "data: is empty") {
		t.Errorf("Load = %q, want the file and data", got)
	}
}
