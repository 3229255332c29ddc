package dynamic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// cell replaces the sandbox: what code does there is tested elsewhere.
type cell struct {
	jobs     []sandbox.Job
	reserved []string
}

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

func (c *cell) Reserve(_ context.Context, tenant, user string, depth int) (*sandbox.Slot, error) {
	c.reserved = append(c.reserved, fmt.Sprintf("%s/%s/%d", tenant, user, depth))
	return &sandbox.Slot{}, nil
}

// open returns a registry that follows the bucket of a server.
func open(t *testing.T, q *queue.Queue) (*Registry, *cell) {
	t.Helper()
	bucket, err := q.Conn.Bucket(t.Context(), streams.BucketCustom)
	if err != nil {
		t.Fatal(err)
	}
	c := &cell{}
	r := New(Options{
		Bucket: bucket, Exists: func(err error) bool { return errors.Is(err, natsio.ErrExists) }, Runner: c,
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
	srv := queuetest.Server(t)
	a, _ := open(t, queuetest.Connect(t, srv))
	b, _ := open(t, queuetest.Connect(t, srv))
	return a, b
}

func caller() *tool.Call {
	return &tool.Call{ID: "c1", Tenant: "acme", User: "u1", Conversation: "talk"}
}

func sample(name string) tool.CustomTool {
	return tool.CustomTool{
		Name: name, Description: "Does " + name + ".", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Code: "return args.n", Permissions: []string{permission.Network, permission.Filesystem, permission.Network},
	}
}

func wantKind(t *testing.T, err error, want tool.Kind) {
	t.Helper()
	if e, ok := errors.AsType[*tool.Error](err); !ok || e.Kind != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
