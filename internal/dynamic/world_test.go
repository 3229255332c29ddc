package dynamic

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/sandbox"
	"github.com/helve-dev/helve/tool"
)

// cell stands for the cage: what runs in it is not this package's matter.
type cell struct{ jobs []sandbox.Job }

func (c *cell) Run(_ context.Context, j sandbox.Job) (json.RawMessage, error) {
	if j.CompileOnly {
		if j.Code == "return return" {
			return nil, tool.Fail(tool.ValidationError, "x: Line 1:8 Unexpected token return")
		}
		return json.RawMessage("null"), nil
	}
	c.jobs = append(c.jobs, j)
	return json.Marshal(j.Code)
}

// open returns a registry over the bucket of a server, which follows it.
func open(t *testing.T, b *bus.Bus) (*Registry, *cell) {
	t.Helper()
	bucket, err := b.Bucket(t.Context(), bus.BucketCustom)
	if err != nil {
		t.Fatal(err)
	}
	c := &cell{}
	r := New(Options{
		Bucket: bucket, Exists: func(err error) bool { return errors.Is(err, bus.ErrExists) }, Cage: c,
		Taken: func(_, name string) bool { return name == "read_file" }, Log: zap.NewNop(),
	})
	if err := r.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, c
}

// two returns registries of two processes on one server.
func two(t *testing.T) (*Registry, *Registry) {
	t.Helper()
	srv := bustest.Server(t)
	a, _ := open(t, bustest.Connect(t, srv))
	b, _ := open(t, bustest.Connect(t, srv))
	return a, b
}

func caller() *tool.Call {
	return &tool.Call{ID: "c1", Tenant: "acme", User: "u1", Conversation: "talk"}
}

func sample(name string) tool.CustomTool {
	return tool.CustomTool{
		Name: name, Description: "Does " + name + ".", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Code: "return args.n", Permissions: []string{Network, Filesystem, Network},
	}
}

func wantKind(t *testing.T, err error, want tool.Kind) {
	t.Helper()
	if e, ok := errors.AsType[*tool.Error](err); !ok || e.Kind != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
