package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// helve is a running `helve up`, as a person at a terminal meets it.
type helve struct {
	t      *testing.T
	server string
	data   string
}

func upForTest(t *testing.T, flags ...string) helve {
	t.Helper()
	testtime.Slow(t, "it runs helve up")
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	printed, code, data := make(lines, 8), make(chan int, 1), t.TempDir()
	args := append([]string{"up", "--data", data, "--http", "127.0.0.1:0", "--nats", "127.0.0.1:0", "--log-level", "error"}, flags...)
	go func() { code <- cli.Run(ctx, args, strings.NewReader(""), printed, io.Discard, upCommand(nil)) }()
	t.Cleanup(func() {
		stop()
		if got := <-code; got != 0 {
			t.Errorf("up exited %d after its drain, want 0", got)
		}
	})
	select {
	case line := <-printed:
		return helve{t, strings.TrimPrefix(strings.Fields(line)[1], "http="), data}
	case <-time.After(30 * time.Second):
		t.Fatal("up is not ready")
		return helve{}
	}
}

// run runs one command line, and returns what it prints.
func (h helve) run(want int, args ...string) (stdout, stderr string) {
	h.t.Helper()
	var out, errs bytes.Buffer
	got := cli.Run(h.t.Context(), append(args, "--server", h.server), strings.NewReader(""), &out, &errs)
	if got != want {
		h.t.Fatalf("helve %s exited %d, want %d\n%s%s", strings.Join(args, " "), got, want, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// reads wants each part in a text, in this order.
func (h helve) reads(what, text string, parts ...string) {
	h.t.Helper()
	rest := text
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			h.t.Errorf("%s does not say %q, in this order:\n%s", what, part, text)
			return
		}
		rest = after
	}
}

// TestStory walks a call that needs a person from one command to the next, and
// asserts what the person reads.
func TestStory(t *testing.T) {
	h := upForTest(t, "--diagnostics")
	const trace = "0af7651916cd43dd8448eb211c80319c"
	_, said := h.run(1, "call", "debug.guarded", "key=old-notes", "--user", "ada", "--trace-id", trace, "--call-id", "g1")
	found := regexp.MustCompile("helve consent show ([a-z0-9-]+)`").FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("the call says %q, want which consent to look at", said)
	}
	id := found[1]
	h.reads("the call", said, "pending", "a person must decide", "helve get g1")
	listed, _ := h.run(0, "consent", "list")
	h.reads("consent list",
		listed, "CONSENT", "REASON", "\n", id, "pending", "ada", "debug.guarded", "medium", "so a person must say yes first")
	shown, _ := h.run(0, "consent", "show", id)
	h.reads("consent show", shown, "debug.guarded", "medium", "a person must say yes", "ada", "g1", trace, "paths workspace", "expires",
		`key: "old-notes"`)
	ledger := filepath.Join(h.data, "workspaces", "default", "ada", "ledger.txt")
	if _, err := os.Stat(ledger); err == nil {
		t.Fatal("the call ran before anybody said yes")
	}

	granted, _ := h.run(0, "consent", "grant", id, "--user", "ada")
	h.reads("consent grant", granted, id+": granted")
	end := time.Now().Add(testtime.Patience())
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		if out, _ := h.anyway("get", "g1"); strings.Contains(out, "written") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the granted call did not run")
		}
	}
	if text, err := os.ReadFile(ledger); err != nil || !strings.HasPrefix(string(text), "old-notes g1 ") ||
		strings.Count(string(text), "\n") != 1 {
		t.Errorf("the ledger has %q (%v), want the one line of the call", text, err)
	}
	_, empty := h.run(0, "consent", "list")
	h.reads("consent list", empty, "nothing is there")
	_, late := h.run(1, "consent", "deny", id, "--user", "ada")
	h.reads("a second decision", late, "conflict", "already granted by ada")

	story, _ := h.run(0, "audit", "--trace-id", trace)
	h.reads("audit", story, "TIME", "PHASE", "\n", "consent_requested", "confirmation_required", "\n",
		"consent_decided", "allowed: granted by ada", "\n", "started", "\n", "finished", "confirmed by ada; success after", "\n")
	if n := strings.Count(story, "\n"); n != 5 {
		t.Errorf("the story has %d lines, want a heading and four:\n%s", n, story)
	}
	if strings.Contains(story, "old-notes") {
		t.Errorf("the story shows an argument:\n%s", story)
	}
	h.exportAndTamper(trace)
}

// anyway runs a command that may fail yet.
func (h helve) anyway(args ...string) (stdout string, code int) {
	var out bytes.Buffer
	code = cli.Run(h.t.Context(), append(args, "--server", h.server), strings.NewReader(""), &out, io.Discard)
	return out.String(), code
}

// exportAndTamper exports the trail, verifies it, and has one changed byte found.
func (h helve) exportAndTamper(trace string) {
	h.t.Helper()
	dir := h.t.TempDir()
	file, bad, key := filepath.Join(dir, "trail.jsonl"), filepath.Join(dir, "bad.jsonl"), filepath.Join(dir, "audit.pem")
	exported, _ := h.run(0, "audit", "export")
	write(h.t, file, exported)
	good, _ := h.run(0, "audit", "verify", file)
	h.reads("audit verify", good, "ok: ", " records, sealed up to ")
	live, _ := h.run(0, "audit", "verify")
	h.reads("audit verify of the server", live, "ok: ")

	// One letter of the record that the person decided in.
	at := strings.Index(exported, "granted by ada")
	if at < 0 {
		h.t.Fatalf("the export does not hold the decision:\n%s", exported)
	}
	write(h.t, bad, exported[:at]+"g"+"R"+exported[at+2:])
	var record struct{ Seq uint64 }
	line := exported[strings.LastIndexByte(exported[:at], '\n')+1:]
	if err := json.NewDecoder(strings.NewReader(line)).Decode(&record); err != nil {
		h.t.Fatal(err)
	}
	found, said := h.run(1, "audit", "verify", bad, "--json")
	var report struct {
		OK       bool
		Problems []struct {
			Seq  uint64
			Kind string
		}
	}
	if err := json.Unmarshal([]byte(found), &report); err != nil || report.OK || len(report.Problems) == 0 ||
		report.Problems[0].Seq != record.Seq || report.Problems[0].Kind != "changed" {
		h.t.Errorf("audit verify of a changed file: %s%s, want record %d named as changed", found, said, record.Seq)
	}
	told, said := h.run(1, "audit", "verify", bad)
	h.reads("audit verify of a changed file", told+said, "SEQ", "PROBLEM", "changed", "the trail is not what was sealed")

	// A copy of the key makes it work without a server.
	pem := cat(h.t, h.server+"/v1/audit/public-key")
	write(h.t, key, pem)
	var out bytes.Buffer
	if code := cli.Run(h.t.Context(), []string{"audit", "verify", file, "--public-key", key, "--server", "http://127.0.0.1:1"},
		strings.NewReader(""), &out, io.Discard); code != 0 {
		h.t.Errorf("audit verify without a server exited %d: %s", code, out.String())
	}
	part, _ := h.run(0, "audit", "export", "--trace-id", trace)
	write(h.t, file, part)
	h.run(0, "audit", "verify", file)
}

// cat returns what lies at a URL.
func cat(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s = %d %s (%v)", url, res.StatusCode, text, err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
