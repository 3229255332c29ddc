package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/tool"
)

// output is the outcome of one command line.
type output struct {
	code           int
	stdout, stderr string
}

func run(ctx context.Context, args ...string) output {
	var stdout, stderr bytes.Buffer
	fails := func(err error) *cobra.Command {
		return &cobra.Command{Use: "fails", Short: "Fail", RunE: func(*cobra.Command, []string) error { return err }}
	}
	parent := &cobra.Command{Use: "extra"}
	for name, err := range map[string]error{
		"plain": errors.New("it broke"), "usage": Usage("not so"), "tool": tool.Fail(tool.Timeout, "slow"), "unreachable": client.ErrUnreachable,
	} {
		cmd := fails(err)
		cmd.Use = name
		parent.AddCommand(cmd)
	}
	code := Run(ctx, args, strings.NewReader(""), &stdout, &stderr, parent)
	return output{code, stdout.String(), stderr.String()}
}

func TestExitCodes(t *testing.T) {
	srv := httptest.NewServer(fakeServer())
	defer srv.Close()
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer busy.Close()
	const help = "' for how to use it\n"
	for _, tt := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"call text", 0, ""},
		{"call fails", 1, "file_not_found: notes.txt does not exist\n"},
		{"call slow --json", 1, ""},
		{"get unknown", 1, "not_found: no such call\n"},
		{"--server " + busy.URL + " groups", 1, "unavailable: " + busy.URL + " answered 503 Service Unavailable; is it a Helve server?\n"},
		{
			"--server " + down.URL + " groups", 3,
			"cannot reach " + down.URL + ": dial tcp " + strings.TrimPrefix(down.URL, "http://") +
				": connect: connection refused; is `helve up` running?\n",
		},
		{
			"--server " + down.URL + " call echo n=1", 3,
			"cannot reach " + down.URL + ": dial tcp " + strings.TrimPrefix(down.URL, "http://") +
				": connect: connection refused; is `helve up` running?\n",
		},
		{
			"--server nats://" + strings.TrimPrefix(down.URL, "http://") + " groups", 3,
			"cannot reach nats://" + strings.TrimPrefix(down.URL, "http://") +
				": nats: no servers available for connection; is `helve up` running?\n",
		},
		{"bogus", 2, "helve: unknown command \"bogus\" for \"helve\"\nrun 'helve --help" + help},
		{"groups --bogus", 2, "helve: unknown flag: --bogus\nrun 'helve groups --help" + help},
		{"groups more", 2, "helve: unknown command \"more\" for \"helve groups\"\nrun 'helve groups --help" + help},
		{"call", 2, "helve: requires at least 1 arg(s), only received 0\nrun 'helve call --help" + help},
		{"call a/b", 2, "helve: \"a/b\" is not a tool's name; `helve tools` lists them\nrun 'helve call --help" + help},
		{"call text --timeout -1s", 2, "helve: --timeout and --wait must not be negative\nrun 'helve call --help" + help},
		{
			"call text --wait soon", 2,
			"helve: invalid argument \"soon\" for \"--wait\" flag: time: invalid duration \"soon\"\nrun 'helve call --help" + help,
		},
		{"agents", 2, "helve: say what to do: list, show, set or delete\nrun 'helve agents --help" + help},
		{"agents bogus", 2, "helve: unknown command \"bogus\" for \"helve agents\"\nrun 'helve agents --help" + help},
		{"agents set a1", 2, "helve: give --tools, --groups or --deny; --tools '' allows nothing\nrun 'helve agents set --help" + help},
		{
			"groups --server localhost:8080", 2,
			"helve: the server \"localhost:8080\" is not a URL; use http://HOST:PORT or nats://HOST:PORT\nrun 'helve groups --help" + help,
		},
		{"groups --nats-context a --server nats://b", 2, "helve: give --server or --nats-context, not both\nrun 'helve groups --help" + help},
		{
			"groups --nats-context missing_context", 2,
			"helve: connect to the NATS context missing_context: unknown context \"missing_context\"\nrun 'helve groups --help" + help,
		},
		{"extra plain", 1, "helve: it broke\n"},
		{"extra usage", 2, "helve: not so\nrun 'helve extra usage --help" + help},
		{"extra tool", 1, "timeout: slow\n"},
		{"extra unreachable", 3, "the server cannot be reached; is `helve up` running?\n"},
	} {
		t.Setenv("HELVE_SERVER", srv.URL)
		got := run(t.Context(), strings.Fields(tt.args)...)
		if got.code != tt.code || got.stderr != tt.stderr {
			t.Errorf("helve %s exits %d, want %d, and says\n%swant\n%s", tt.args, got.code, tt.code, got.stderr, tt.stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}} {
		got := run(t.Context(), args...)
		for _, want := range []string{"call ", "tools ", "agents ", "extra ", "--server URL", "Exit codes"} {
			if !strings.Contains(got.stdout, want) || got.code != 0 {
				t.Errorf("helve %v exits %d without %q in\n%s", args, got.code, want, got.stdout)
			}
		}
	}
}

func TestInterrupted(t *testing.T) {
	arrived := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // only then does the server see the client leave
		close(arrived)
		<-r.Context().Done()
	}))
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	got := run(ctx, "--server", srv.URL, "call", "echo", "--call-id", "c1")
	want := output{1, "", "helve: interrupted; the call may still run: see `helve get c1`\n"}
	if got != want {
		t.Errorf("an interrupted call: %+v, want %+v", got, want)
	}
}

// TestEventsEnd follows a trace until it is interrupted, which is no error.
func TestEventsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		events(w, r)
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}))
	defer srv.Close()
	got := run(ctx, "--server", srv.URL, "events", strings.Repeat("0", 32))
	if got.code != 0 || got.stderr != "" {
		t.Errorf("interrupted events: %+v, want exit 0 in silence", got)
	}
}

func TestOverNATS(t *testing.T) {
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Stop()
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.Subscribe("helve.v1.acme.api.execute", func(msg *nats.Msg) {
		msg.Respond([]byte(`{"trace_id":"t","results":[{"call_id":"c1","tool":"x","status":"success","result":"over nats"}]}`))
	})
	nc.Flush()
	got := run(t.Context(), "call", "x", "--tenant", "acme", "--server", srv.URL())
	if want := (output{0, "over nats\n", ""}); got != want {
		t.Errorf("a call over NATS: %+v, want %+v", got, want)
	}
	got = run(t.Context(), "groups", "--server", srv.URL())
	if want := (output{
		3, "", "cannot reach " + srv.URL() + ": no dispatcher listens below helve.v1.default; is `helve up` running?\n",
	}); got != want {
		t.Errorf("NATS without a dispatcher: %+v, want %+v", got, want)
	}
}

// TestNATSIsNotHTTP: the address of NATS, given for HTTP, is named as what it is.
func TestNATSIsNotHTTP(t *testing.T) {
	t.Parallel()
	nats, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer nats.Stop()
	server := strings.Replace(nats.URL(), "nats://", "http://", 1)
	for _, command := range []string{"call text", "groups", "files list"} {
		got := run(t.Context(), append(strings.Fields(command), "--server", server)...)
		if got.code != exitUnreachable || !strings.Contains(got.stderr, "this is NATS; the HTTP address of Helve is usually http://HOST:8080") {
			t.Errorf("helve %s --server %s = %+v", command, server, got)
		}
	}
}
