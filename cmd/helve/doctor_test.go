package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/test/testtime"
)

func doctor(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	testtime.Slow(t, "it tries every program that tools run")
	var out, errs strings.Builder
	code = cli.Run(t.Context(), append([]string{"doctor"}, args...), strings.NewReader(""), &out, &errs, doctorCommand(nil))
	return code, out.String(), errs.String()
}

// row is the line of a part in doctor's table: its three columns after the name.
func row(out, part string) (needed, ok, detail string) {
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) > 3 && f[0] == part {
			return f[1], f[2], strings.Join(f[3:], " ")
		}
	}
	return "", "", ""
}

// TestDoctor finds what the probe finds, on a host with a data directory, NATS and
// one of the programs.
func TestDoctor(t *testing.T) {
	programs := t.TempDir()
	if err := os.WriteFile(filepath.Join(programs, "git"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs)
	data := t.TempDir()
	code, out, errs := doctor(t, "--data", filepath.Join(data, "new", "one"), "--nats", queuetest.Server(t).URL())

	cage := confine.Probe()
	wantCode := 0
	if lacking(cage) != nil { // such as in tests that are linked with cgo
		wantCode = 1
	}
	if code != wantCode || (errs == "") != (code == 0) || !strings.HasSuffix(out, "\ndynamic tools: "+verdictOn(cage)+"\n") {
		t.Errorf("doctor = %d, %q, and\n%s\nwant %d and the verdict at the end", code, errs, out, wantCode)
	}
	if _, ok, detail := row(out, "children"); ok != "yes" || !strings.Contains(detail, "helve-child") {
		t.Errorf("the children's row is %s %s, want which program they are", ok, detail)
	}
	if _, ok, detail := row(out, "trial"); wantCode == 0 && (ok != "yes" || !strings.Contains(detail, "ran")) {
		t.Errorf("the trial's row is %s %s, want that a script ran", ok, detail)
	}
	for part, want := range map[string]string{"data": "yes yes", "nats": "yes yes", "git": "no yes", "docker": "no no", "landlock": "yes"} {
		if needed, ok, detail := row(out, part); !strings.HasPrefix(needed+" "+ok, want) || detail == "" {
			t.Errorf("row %s = %s %s %s, want %s and a detail", part, needed, ok, detail, want)
		}
	}
	if left, _ := os.ReadDir(data); len(left) != 0 {
		t.Errorf("doctor leaves %v in the data directory's place", left)
	}
}

func TestDoctorFindsFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := doctor(t, "--data", filepath.Join(file, "data"), "--nats", "nats://127.0.0.1:1")
	for _, part := range []string{"data", "nats"} {
		if needed, ok, _ := row(out, part); code != 1 || needed != "yes" || ok != "no" || !strings.Contains(errs, part) {
			t.Errorf("doctor with a broken %s = %d, %q, and\n%s", part, code, errs, out)
		}
	}
}

func TestDoctorJSON(t *testing.T) {
	_, out, _ := doctor(t, "--data", t.TempDir(), "--json")
	var got struct {
		Parts        []diagnosed `json:"parts"`
		DynamicTools string      `json:"dynamic_tools"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Parts) < 10 || got.DynamicTools != verdictOn(confine.Probe()) {
		t.Errorf("doctor --json = %s, %v", out, err)
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	there := confine.Part{Name: "seccomp", Mandatory: true, OK: true}
	optional := confine.Part{Name: "user_namespace"}
	for _, tt := range []struct {
		cage []confine.Part
		want string
	}{
		{[]confine.Part{there, optional}, "can run"},
		{
			[]confine.Part{{Name: "landlock", Mandatory: true}, there, {Name: "proc", Mandatory: true}},
			"cannot run: this host lacks landlock, proc",
		},
	} {
		if got := verdictOn(tt.cage); got != tt.want {
			t.Errorf("verdictOn(%v) = %q, want %q", tt.cage, got, tt.want)
		}
	}
}

// TestDoctorWorkspaces: it names the pools whose workers keep workspaces in different
// directories.
func TestDoctorWorkspaces(t *testing.T) {
	srv := queuetest.Server(t)
	check := func(wantOK, want string) {
		t.Helper()
		_, out, errs := doctor(t, "--data", t.TempDir(), "--nats", srv.URL())
		_, ok, detail := row(out, "shared_workspaces")
		if ok != wantOK || !strings.Contains(detail, want) || strings.Contains(errs, "shared_workspaces") != (wantOK == "no") {
			t.Errorf("row shared_workspaces = %s %s, error %q, want %s %s", ok, detail, errs, wantOK, want)
		}
		if _, ok, detail := row(out, "shared_store"); ok != wantOK || wantOK == "no" && !strings.Contains(detail, "set store.url") {
			t.Errorf("row shared_store = %s %s, want %s", ok, detail, wantOK)
		}
	}
	q := queuetest.Connect(t, srv)
	check("yes", "no worker")
	join := func(worker, workspace string, pools ...string) (leave func(context.Context)) {
		t.Helper()
		kinds := map[string]*fleet.Kind{}
		for _, pool := range pools {
			kinds[pool] = nil
		}
		a, err := fleet.Announce(t.Context(), q, fleet.Worker{ID: worker, Workspace: workspace}, kinds,
			func(string) queue.Load { return queue.Load{} }, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		return a.Leave
	}
	join("w1", "A", "default", "heavy")
	leave := join("w2", "B", "default")
	check("no", "not shared by the workers of default:")
	leave(t.Context())
	check("yes", "shared by the workers")
}

// TestDoctorOfAHostSaysSo: without --server nothing of a running system is examined, and the exit
// code says nothing about one. Standard output stays what programs read.
func TestDoctorOfAHostSaysSo(t *testing.T) {
	const note = "Only this host was examined"
	for _, flags := range [][]string{nil, {"--json"}} {
		_, out, errs := doctor(t, append(flags, "--data", t.TempDir())...)
		if strings.Count(errs, note) != 1 || !strings.Contains(errs, "--server URL") || strings.Contains(out, note) {
			t.Errorf("doctor %v = %q on standard error, want one note that names --server", flags, errs)
		}
	}
	if _, _, errs := doctor(t, "--data", t.TempDir(), "--nats", "nats://127.0.0.1:1"); strings.Contains(errs, note) {
		t.Errorf("doctor --nats says %q", errs)
	}
}
