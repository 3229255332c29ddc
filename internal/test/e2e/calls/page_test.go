package calls

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/x/docsection"
)

var update = flag.Bool("update", false, "write the programs of docs/callbacks.md")

const page = "../../../../docs/callbacks.md"

// TestPage: the programs on the page are those that are tested here.
func TestPage(t *testing.T) {
	t.Parallel()
	_, function, _ := strings.Cut(source(t, "snippet_test.go"), "// verified ")
	for name, want := range map[string]string{
		"go":   "```go\n// verified " + strings.TrimSpace(function) + "\n```",
		"node": "```js\n" + strings.TrimSpace(source(t, "testdata/receiver.mjs")) + "\n```",
	} {
		if err := docsection.Sync(page, name, want, *update); err != nil {
			t.Error(err)
		}
	}
}

func source(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestGoProgram: the function on the page accepts what is sent, and nothing else.
func TestGoProgram(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{})
	system.Execute(t, s.HTTP(0), "acme", `{`+r.to("/hook")+`, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
	p := r.await(t, "/hook", 1)[0]
	keys := s.HTTP(0).Send(t, http.MethodGet, "/v1/audit/public-key", "", nil).Body
	if !verified(keys, p.signature, p.body) {
		t.Errorf("%q is refused", p.signature)
	}
	at, sum, _ := strings.Cut(p.signature, ",")
	later := fmt.Sprintf("t=%d,%s", time.Now().Unix()+1, sum)
	old := fmt.Sprintf("t=%d,%s", time.Now().Add(-time.Hour).Unix(), sum)
	for _, tt := range []struct{ signature, body string }{
		{p.signature, string(p.body) + " "}, {later, string(p.body)}, {old, string(p.body)}, {at, string(p.body)}, {"", ""},
		{at + ",ed25519=AAAA", string(p.body)},
	} {
		if verified(keys, tt.signature, []byte(tt.body)) {
			t.Errorf("%q of %q is accepted", tt.signature, tt.body)
		}
	}
}

// TestNodeProgram: the receiver on the page gets an element, and refuses others.
func TestNodeProgram(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("THE NODE RECEIVER OF docs/callbacks.md IS NOT TESTED: %v", err)
	}
	s := system.Launch(t, system.Plan{})
	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "node", "testdata/receiver.mjs")
	cmd.Env = append(os.Environ(), "HELVE_SERVER="+s.URLs[0], "HELVE_TOKEN=", "PORT=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 10)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			lines <- scan.Text()
		}
	}()
	t.Cleanup(func() { stop(); <-read; _ = cmd.Wait() })
	port, ok := strings.CutPrefix(system.Receive(t, "it listens", lines), "listening on ")
	if !ok {
		t.Fatal("it does not listen")
	}
	host := "127.0.0.1:" + port
	// Its address is known only now, so another dispatcher takes over that may call it.
	s.Config.Callbacks.AllowedHosts = []string{host}
	if _, err := s.AddDispatcher(); err != nil {
		t.Fatal(err)
	}
	if err := s.Drains[0](); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+host, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	if _ = res.Body.Close(); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a signature: %d", res.StatusCode)
	}
	system.Execute(t, s.HTTP(1), "acme",
		`{"callback": {"url": "http://`+host+`/hook"}, "calls": [{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 1}}]}`)
	if got := system.Receive(t, "the element", lines); got != "c1 success" {
		t.Errorf("it got %q", got)
	}
}
