package utilities

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestSystemInfo(t *testing.T) {
	const when = `"2026-01-02T12:00:00.000Z"`
	parts := func(want ...string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			t.Helper()
			for _, part := range []string{"platform", "memory", "cpu", "env"} {
				if there := fieldOf(t, res, part) != ""; there != strings.Contains(strings.Join(want, " "), part) {
					t.Errorf("%s, want %q and no other part", res.Value, want)
				}
			}
			if got := fieldOf(t, res, "timestamp"); got != when {
				t.Errorf("timestamp = %s, want %s", got, when)
			}
		}
	}
	arch := map[string]string{"amd64": "x64", "386": "ia32"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	platform := `{"os":"` + runtime.GOOS + `","arch":"` + arch + `","nodeVersion":"` + runtime.Version() + `","pid":` +
		strconv.Itoa(os.Getpid()) + `}`
	tooltest.Run(t, Set, "system_info", tool.Call{}, []tooltest.Case{
		{Name: "platform", Args: `{}`, Want: `{"platform":` + platform + `,"timestamp":` + when + `}`},
		{Name: "nothing is platform", Args: `{"include":[]}`, Check: parts("platform")},
		{Name: "memory", Args: `{"include":["memory"]}`, Check: parts("memory")},
		{Name: "cpu", Args: `{"include":["cpu"]}`, Check: parts("cpu")},
		{Name: "two", Args: `{"include":["cpu","platform","cpu"]}`, Check: parts("cpu", "platform")},
		{Name: "all", Args: `{"include":["all"]}`, Check: parts("platform", "memory", "cpu", "env")},
		{Name: "env", Args: `{"include":["env"]}`, Want: `{"timestamp":` + when + `,"env":{"nodeEnv":"production","tz":"UTC","lang":"en"}}`},
		{Name: "sizes", Args: `{"include":["memory"]}`, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			for _, name := range []string{"heapUsed", "heapTotal", "rss"} {
				size := fieldOf(t, res, "memory."+name)
				if !regexp.MustCompile(`^"\d+\.\d\d MB"$`).MatchString(size) || size == `"0.00 MB"` {
					t.Errorf("%s = %s, want some megabytes", name, size)
				}
			}
		}},
		{Name: "times", Args: `{"include":["cpu"]}`, Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			for _, name := range []string{"user", "system"} {
				if spent := fieldOf(t, res, "cpu."+name); !regexp.MustCompile(`^"\d+ ms"$`).MatchString(spent) {
					t.Errorf("%s = %s, want milliseconds", name, spent)
				}
			}
		}},
		{Name: "part", Args: `{"include":["secrets"]}`, Fails: tool.ValidationError, Message: "include"},
		{Name: "type", Args: `{"include":"platform"}`, Fails: tool.ValidationError, Message: "include"},
	})
}

// The result contains nothing of the machine or of its environment.
func TestSystemInfoTellsNoSecrets(t *testing.T) {
	t.Setenv("NODE_ENV", "secret-one")
	t.Setenv("LANG", "secret-two")
	t.Setenv("TZ", "secret-three")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, Set, "system_info", tool.Call{}, []tooltest.Case{{
		Name: "all", Args: `{"include":["all"]}`,
		Check: func(t *testing.T, res tool.Result) {
			t.Helper()
			for _, secret := range []string{"secret", strconv.Quote(host), dir} {
				if strings.Contains(string(res.Value), secret) {
					t.Errorf("%s holds %s", res.Value, secret)
				}
			}
		},
	}})
}

func TestOlderNames(t *testing.T) {
	want := map[string]string{"system_info": "get_system_info", "validate": "validate_data", "regex": "run_regex"}
	for _, tl := range Set.Tools() {
		if old, renamed := want[tl.Name]; renamed && !slices.Contains(tl.Aliases, old) {
			t.Errorf("%s does not answer to %s, only to %q", tl.Name, old, tl.Aliases)
		}
	}
}
