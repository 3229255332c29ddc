package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/helve-dev/helve/client"
)

// mixed is the load of a soak: calls of all kinds, in fixed shares.
type mixed struct {
	nats, http *client.Client
	mcp        func() error
	hangUp     func()
	kinds      [100]*mixedKind
}

// mixedKind is one kind of call, with its share in percent.
type mixedKind struct {
	name  string
	share int
	call  func(ctx context.Context, n int64) error
}

const (
	// mixedPersons is the number of persons who call, mixedMCP that of MCP clients.
	mixedPersons = 1000
	mixedMCP     = 8
	// mixedStride spreads the kinds: it has no common factor with 100.
	mixedStride = 37
)

// mixedScript is a tool written as an operator's script.
const (
	mixedScript   = "async function words(args) {\n" + smallBody + "\n}\n"
	mixedManifest = `[{"name":"bench_words","function":"words","description":"Counts words.","category":"Bench",` +
		`"parameters":{"properties":{"text":{"type":"string","description":"Text."}},"required":["text"]},"mutates":false,"idempotent":true}]`
)

// writeScripts writes the directory of scripts for the workers.
func writeScripts(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "words.js"), []byte(mixedScript), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "words.json"), []byte(mixedManifest), 0o600)
}

// newMixed connects the callers.
func newMixed(ctx context.Context, nats, http string) (m *mixed, err error) {
	m = &mixed{}
	if m.nats, err = client.New(nats); err != nil {
		return nil, err
	}
	if m.http, err = client.New(http); err != nil {
		m.nats.Close()
		return nil, err
	}
	if m.mcp, m.hangUp, err = dialMCP(ctx, http+"/mcp", mixedMCP); err != nil {
		m.nats.Close()
		m.http.Close()
		return nil, err
	}
	m.share([]mixedKind{
		{"noop_nats", 30, m.tool("debug.echo", `{"value":%s}`, payload)},
		{"noop_http", 22, func(ctx context.Context, _ int64) error {
			_, err := m.http.Call(ctx, "debug.echo", fmt.Appendf(nil, `{"value":%s}`, payload))
			return err
		}},
		{"noop_mcp", 5, func(context.Context, int64) error { return m.mcp() }},
		{"effect", 15, m.tool("debug.effect", `{"key":"soak"}`)},
		{"note", 15, m.tool("add_note", `{"title":"Groceries","content":"milk, bread, apples and something for Sunday"}`)},
		{"script", 11, m.tool("bench_words", `%s`, smallArgs)},
		{"consent", 2, m.consented},
	})
	return m, nil
}

// share assigns each of a hundred places to a kind.
func (m *mixed) share(kinds []mixedKind) {
	at := 0
	for i := range kinds {
		for range kinds[i].share {
			m.kinds[at*mixedStride%len(m.kinds)] = &kinds[i]
			at++
		}
	}
}

func (m *mixed) close() {
	m.hangUp()
	m.nats.Close()
	m.http.Close()
}

// call makes call number n.
func (m *mixed) call(ctx context.Context, n int64) error {
	kind := m.kinds[n%int64(len(m.kinds))]
	ctx, cancel := context.WithTimeout(ctx, 2*callTimeout)
	defer cancel()
	if err := kind.call(ctx, n); err != nil {
		return fmt.Errorf("%s: %w", kind.name, err)
	}
	return nil
}

// person returns one of the persons.
func person(n int64) client.Context {
	return client.Context{User: fmt.Sprintf("person%d", n/100%mixedPersons)}
}

// tool returns a function that calls a tool for a person over NATS.
func (m *mixed) tool(name, format string, args ...any) func(context.Context, int64) error {
	arguments := fmt.Appendf(nil, format, args...)
	return func(ctx context.Context, n int64) error {
		_, err := m.nats.Call(ctx, name, arguments, client.As(person(n)))
		return err
	}
}

// consented makes a call that a person must approve, approves it, and waits for its result.
func (m *mixed) consented(ctx context.Context, n int64) error {
	id := client.CallID("soak-" + newTrace())
	arguments := []byte(`{"key":"soak"}`)
	got, err := m.nats.Call(ctx, "debug.guarded", arguments, client.As(person(n)), id)
	if got.ConsentID == "" {
		return fmt.Errorf("a call was not parked: %s %s: %w", got.Status, got.State, err)
	}
	if _, err := m.nats.Decide(ctx, got.ConsentID, client.Decision{Grant: true}); err != nil {
		return err
	}
	_, err = m.nats.Call(ctx, "debug.guarded", arguments, client.As(person(n)), id, client.AwaitConsent())
	return err
}
