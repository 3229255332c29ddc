package javascript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/ports/services"
	"github.com/helve-dev/helve/internal/toolbox/dynamic"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/sandboxtest"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/internal/tools/dynamictools"
	"github.com/helve-dev/helve/internal/tools/utilities"
	"github.com/helve-dev/helve/tool"
)

// request returns the arguments that a model sends to create_tool.
func request(t *testing.T) string {
	t.Helper()
	return read(t, "dynamic/exchange_money.json")
}

// registry is one with a real cage, over a bucket of its own.
func registry(t *testing.T) *dynamic.Registry {
	t.Helper()
	pool, err := sandbox.New(sandbox.Options{Program: sandboxtest.Program(t), Slots: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	bucket, err := queuetest.Connect(t, queuetest.Server(t)).Conn.Bucket(t.Context(), streams.BucketCustom)
	if err != nil {
		t.Fatal(err)
	}
	r := dynamic.New(dynamic.Options{
		Bucket: bucket, Exists: func(err error) bool { return errors.Is(err, natsio.ErrExists) }, Runner: pool,
		Taken: func(_, name string) bool { return builtin(name) }, Log: zap.NewNop(),
	})
	if err := r.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// builtin reports whether every worker has a tool.
func builtin(name string) bool {
	return slices.ContainsFunc(tools.Builtin(), func(set *tool.Set) bool {
		return slices.ContainsFunc(set.Tools(), func(t *tool.Tool) bool { return t.Name == name })
	})
}

// run binds and runs a tool.
func run(t *testing.T, tl *tool.Tool, call tool.Call, args string) (string, error) {
	t.Helper()
	inv, err := tl.Bind(json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	res, err := inv.Run(t.Context(), &call)
	return compact(res.Value), err
}

func named(t *testing.T, set *tool.Set, name string) *tool.Tool {
	t.Helper()
	for _, tl := range set.Tools() {
		if tl.Name == name {
			return tl
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

// reached calls the built-in tools that permissions open.
type reached struct {
	t           *testing.T
	permissions []string
}

// Call implements [tool.Tools].
func (r reached) Call(_ context.Context, name string, args json.RawMessage) (tool.Result, error) {
	tl := named(r.t, utilities.Set, name)
	if !permission.Reaches(r.permissions, &tl.Definition, nil) {
		return tool.Result{}, tool.Fail(tool.PermissionDenied, "%s is out of reach", name)
	}
	value, err := run(r.t, tl, tool.Call{Clock: clock{}}, string(args))
	return tool.Result{Value: json.RawMessage(value)}, err
}

// List implements [tool.Tools].
func (r reached) List() []tool.Definition { return nil }

func (r reached) Batch(context.Context, []tool.InnerCall) []tool.InnerOutcome { return nil }

// exchange is the config center with an account of the server.
func exchange(t *testing.T, s *service) tool.Secrets {
	t.Helper()
	path := filepath.Join(t.TempDir(), "services.yaml")
	text := fmt.Sprintf("- service: exchange\n  data: {url: %q, api_key: \"k1\"}\n", s.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	center, err := services.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return center.For("default", "ann")
}

// TestExchangeMoney: what the model sent is stored by create_tool, and runs in
// the cage with what its permissions give.
func TestExchangeMoney(t *testing.T) {
	t.Parallel()
	r := registry(t)
	made, err := run(t, named(t, dynamictools.Set, "create_tool"), tool.Call{Tenant: "default", User: "ann", CustomTools: r}, request(t))
	if err != nil || !strings.Contains(made, `"status":"active"`) {
		t.Fatalf("create_tool = %s, %v", made, err)
	}
	entry, err := r.Lookup("default", "ann", "exchange_money")
	if err != nil || entry == nil {
		t.Fatalf("Lookup = %v, %v", entry, err)
	}
	s := serve(t, map[string]string{
		"GET /latest?base=EUR&symbols=USD": `{"base": "EUR", "rates": {"USD": 1.0954}}`,
		"GET /latest?base=EUR&symbols=XXX": `{"base": "EUR", "rates": {}}`,
	})
	call := tool.Call{
		ID: "c1", Tenant: "default", User: "ann", HTTP: guardFor(t, s), Secrets: exchange(t, s),
		Tools: reached{t, r.Permissions("default", "ann", "exchange_money")},
	}
	got, err := run(t, entry.Tool, call, `{"amount": 12.5, "from": "EUR", "to": "USD"}`)
	if err != nil || !strings.HasPrefix(got, `{"amount":13.69,"asked":"20`) || !strings.HasSuffix(got, `Z","currency":"USD","rate":1.0954}`) {
		t.Errorf("exchange_money = %s, %v", got, err)
	}
	if sent := s.requests(); len(sent) != 1 || !strings.HasSuffix(sent[0], "| Bearer k1") {
		t.Errorf("it sent %q", sent)
	}
	_, err = run(t, entry.Tool, call, `{"amount": 1, "from": "EUR", "to": "XXX"}`)
	if e := tool.AsError(err); e == nil || e.Kind != tool.ExecutionError ||
		!strings.HasPrefix(e.Msg, "Error: there is no rate for XXX (exchange_money:") {
		t.Errorf("without a rate: %v", err)
	}
	call.HTTP = guardFor(t)
	_, err = run(t, entry.Tool, call, `{"amount": 1, "from": "EUR", "to": "USD"}`)
	if e := tool.AsError(err); e == nil || e.Kind != tool.PermissionDenied {
		t.Errorf("behind the guard: %v", err)
	}
}

// TestExchangeMoneyCode: the code to read is the code that is sent.
func TestExchangeMoneyCode(t *testing.T) {
	t.Parallel()
	var sent struct {
		Code string `json:"code"`
	}
	if err := json.Unmarshal([]byte(request(t)), &sent); err != nil {
		t.Fatal(err)
	}
	if code := read(t, "dynamic/exchange_money.js"); sent.Code != code {
		t.Errorf("exchange_money.json has other code than exchange_money.js:\n%s", sent.Code)
	}
}
