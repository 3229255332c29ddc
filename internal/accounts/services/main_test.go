package services

import (
	"encoding/json"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

func TestMain(m *testing.M) { queuetest.Verify(m) }

// world is a store over a real bucket, with readers that follow it.
type world struct {
	*Store
	t      *testing.T
	bucket *natsio.Bucket
	text   string // of the master keys
}

func newWorld(t *testing.T) *world {
	t.Helper()
	bucket, err := queuetest.Connect(t, queuetest.Server(t)).Conn.Bucket(queuetest.Context(t), streams.BucketServices)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := NewRegistry([]tool.Service{
		{Name: "model", Fields: []tool.ServiceField{
			{Name: "api_key", Type: tool.FieldText, Secret: true, Required: true},
			{Name: "base_url", Type: tool.FieldURL, Default: "https://model.example/v1"},
			{Name: "tokens", Type: tool.FieldNumber}, {Name: "strict", Type: tool.FieldBoolean},
			{Name: "mode", Type: tool.FieldText, Options: []string{"fast", "good"}},
		}, Test: &tool.ServiceTest{URL: "{base_url}/models", Bearer: "api_key"}},
		{Name: "mail", Fields: []tool.ServiceField{
			{Name: "host", Type: tool.FieldText, Required: true}, {Name: "port", Type: tool.FieldNumber, Default: "587"},
			{Name: "from", Type: tool.FieldText}, {Name: "password", Type: tool.FieldText, Secret: true},
		}, Test: &tool.ServiceTest{Dial: "smtp"}},
		{Name: "danger", Shared: true, Fields: []tool.ServiceField{{Name: "enabled", Type: tool.FieldBoolean}}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := vault.Generate()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, bucket: bucket, text: text}
	w.Store = &Store{Bucket: bucket, Keys: w.keys(text), Registry: registry}
	return w
}

func (w *world) keys(text string) *vault.Keys {
	w.t.Helper()
	k, err := vault.Parse(text)
	if err != nil {
		w.t.Fatal(err)
	}
	return k
}

// reader follows the bucket, and returns the lines that it logs too.
func (w *world) reader(keys vault.Wrapper, below Source) (*Reader, *observer.ObservedLogs) {
	w.t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	r := &Reader{Keys: keys, Registry: w.Registry, Below: below, Log: zap.New(core)}
	if err := w.bucket.Follow(w.t.Context(), r.Change); err != nil {
		w.t.Fatal(err)
	}
	return r, logs
}

func at(user, service, label string) vault.Place {
	return vault.Place{Tenant: "acme", User: user, Service: service, Label: label}
}

// fields returns the fields of services.set from pairs.
func fields(pairs ...string) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return all
}

func granted([]string) error { return nil }

// set sets an entry with a key.
func (w *world) set(user, service, label, key string) {
	w.t.Helper()
	kind := ""
	if _, known := w.Registry.Lookup(service); !known {
		kind = typeCustom
	}
	if _, err := w.Set(w.t.Context(), at(user, service, label), protocol.ServiceSet{Type: kind, Fields: fields("api_key", `"`+key+`"`)},
		"tester", granted); err != nil {
		w.t.Fatal(err)
	}
}

// get returns what a person gets of a service: labels and keys.
func get(t *testing.T, r *Reader, tenant, user, service string) string {
	t.Helper()
	entries, err := r.For(tenant, user).Entries(t.Context(), service)
	if err != nil {
		return err.Error()
	}
	text := ""
	for _, e := range entries {
		text += e.Label + ":" + e.Data["api_key"] + ";"
	}
	return text
}

// awaits waits until a person gets want.
func awaits(t *testing.T, r *Reader, tenant, user, service, want string) {
	t.Helper()
	queuetest.Until(t, "entries "+want, func() bool { return get(t, r, tenant, user, service) == want })
}
