package bench

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
)

func TestNodeEndsWithItsParent(t *testing.T) {
	stdin, parent := io.Pipe()
	answers, stdout := io.Pipe()
	code := make(chan int, 1)
	go func() { code <- Node(t.Context(), []string{roleCaller}, stdin, stdout, t.Output()) }()
	lines := bufio.NewScanner(answers)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("first line %q, want ready", lines.Text())
	}
	if _, err := io.WriteString(parent, "{}\n"); err != nil {
		t.Fatal(err)
	}
	var u usage
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &u) != nil || u.CPU <= 0 || u.RSS <= 0 {
		t.Errorf("usage answered %q, want CPU and RSS above 0", lines.Text())
	}
	if u.Goroutines <= 0 {
		t.Errorf("%d goroutines, want some", u.Goroutines)
	}
	if _, err := io.WriteString(parent, `{"collect":true}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &u) != nil || u.RSS <= 0 {
		t.Errorf("after a collection it answered %q, want its usage", lines.Text())
	}
	parent.Close()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d, want 0", got)
	}
}

func TestNodeRefuses(t *testing.T) {
	for _, args := range [][]string{nil, {"juggler"}, {roleEcho, "nats://127.0.0.1:1"}, {roleDispatcher, "--no-such-flag"}} {
		stdin, parent := io.Pipe()
		var said strings.Builder
		if code := Node(t.Context(), args, stdin, io.Discard, &said); code == 0 || said.Len() == 0 {
			t.Errorf("Node(%q) = %d saying %q, want a failure and why", args, code, said.String())
		}
		parent.Close()
	}
}

func TestProfilesAreWritten(t *testing.T) {
	opts, gone := quick(t)
	opts.Only, opts.Callers, opts.Profiles = []string{Bare}, []int{1}, t.TempDir()
	if _, err := Run(bounded(t), opts); err != nil {
		t.Fatal(err)
	}
	gone(3)
	files, err := os.ReadDir(opts.Profiles)
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{roleBroker, roleEcho, roleCaller} {
		found := false
		for _, f := range files {
			info, err := f.Info()
			found = found || err == nil && strings.HasPrefix(f.Name(), role+"-") && info.Size() > 0
		}
		if !found {
			t.Errorf("no profile of the %s among %v", role, files)
		}
	}
}
