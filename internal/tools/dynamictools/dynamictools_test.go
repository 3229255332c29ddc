package dynamictools

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/toolbox/dynamic"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// cell replaces the sandbox, which the tools here only use to compile; certain code
// makes it unavailable or broken.
type cell struct{}

func (cell) Reserve(context.Context, string, string, int) (*sandbox.Slot, error) {
	return &sandbox.Slot{}, nil
}

func (cell) Run(_ context.Context, j sandbox.Job) (json.RawMessage, error) {
	switch j.Code {
	case "return 'uncaged'":
		return nil, tool.Fail(tool.NotConfigured, "custom tools cannot run on this worker")
	case "return 'crash'":
		return nil, tool.Fail(tool.ExecutionError, "the sandbox ended")
	}
	return json.RawMessage("null"), nil
}

// turns replaces the sandbox of programs: it finds no calls in their code.
type turns struct{ cell }

func (turns) Run(context.Context, sandbox.Job) (json.RawMessage, error) {
	return json.RawMessage("[]"), nil
}

// contested is a bucket in which another writer always changes a value first.
type contested struct{ dynamic.Bucket }

func (contested) Replace(context.Context, string, []byte, []byte) error { return natsio.ErrExists }

// office returns a call with a real registry that holds one tool.
func office(t *testing.T) tool.Call {
	t.Helper()
	return officeOver(t, func(b dynamic.Bucket) dynamic.Bucket { return b })
}

func officeOver(t *testing.T, around func(dynamic.Bucket) dynamic.Bucket) tool.Call {
	t.Helper()
	q := queuetest.Connect(t, queuetest.Server(t))
	bucket, err := q.Conn.Bucket(t.Context(), streams.BucketCustom)
	if err != nil {
		t.Fatal(err)
	}
	r := dynamic.New(dynamic.Options{
		Bucket: around(bucket), Exists: func(err error) bool { return errors.Is(err, natsio.ErrExists) }, Runner: cell{}, Turns: turns{},
		Taken: func(_, name string) bool { return name == "read_file" }, Log: zap.NewNop(),
	})
	if err := r.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	call := tool.Call{CustomTools: r, User: "u1", Tenant: "acme"}
	tooltest.Run(t, Set, "create_tool", call, []tooltest.Case{{
		Name: "the one there is",
		Args: `{"name":"adder","description":"Adds.","parameters":"{\"type\":\"object\"}","code":"return 1","category":"Sums","permissions":["network"]}`,
		Check: func(t *testing.T, res tool.Result) {
			if member(t, res, "name") != "adder" {
				t.Fatalf("create_tool answered %s", res.Value)
			}
		},
	}})
	return call
}

// member returns a member of a result.
func member(t *testing.T, res tool.Result, name string) any {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(res.Value, &all); err != nil {
		t.Fatal(err)
	}
	return all[name]
}
