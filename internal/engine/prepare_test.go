package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// echoing is an untyped tool "x" that returns the arguments it got.
func echoing(t *testing.T, parameters string, limit *tool.Limit) *tool.Tool {
	t.Helper()
	def := returning(nil, nil).Definition
	def.Parameters, def.Limit = json.RawMessage(parameters), limit
	one, err := tool.New(def, 0, func(_ context.Context, _ *tool.Call, args json.RawMessage) (tool.Result, error) {
		return tool.Result{Value: args}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func TestPrepare(t *testing.T) {
	w := holding(t,
		echoing(t, `{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer","default":7}},"required":["path"]}`, nil))
	for _, tt := range []struct {
		args, want string
		problems   []string
	}{
		{args: `{"path":"a","n":1}`, want: `{"path":"a","n":1}`},
		{args: `{"path":"a"}`, want: `{"path":"a","n":7}`},
		{args: `{"path":"a","n":1,"zeta":1,"also":2}`, want: `{"path":"a","n":1}`},
		{args: ``, problems: []string{"'path'"}},
		{args: `{"path":1,"n":"x"}`, problems: []string{"path", "n: ", "; "}},
		{args: `{"path":"a","path":"b"}`, problems: []string{"duplicate"}},
		{args: `[1]`, problems: []string{"object"}},
		{args: `{"path":`, problems: []string{"JSON"}},
	} {
		out := w.execute(t.Context(), job(tt.args))
		if tt.problems == nil {
			wantValue(t, out, tt.want)
			continue
		}
		wantKind(t, out, tool.ValidationError)
		for _, p := range tt.problems {
			if !strings.Contains(out.Err.Msg, p) {
				t.Errorf("%s: message = %q, want %q in it", tt.args, out.Err.Msg, p)
			}
		}
	}
}

func TestPrepareNamesIgnoredParameters(t *testing.T) {
	w := holding(t, returning(1, nil))
	out := w.execute(t.Context(), job(`{"zeta":1,"path":"a","also":2}`))
	wantValue(t, out, "1")
	if got, _ := out.Result.Metadata["ignored"].([]string); !slices.Equal(got, []string{"also", "zeta"}) {
		t.Errorf("metadata.ignored = %v, want [also zeta]", out.Result.Metadata["ignored"])
	}
}

func TestPreparePorts(t *testing.T) {
	var files tool.Files
	look := func(_ context.Context, call *tool.Call, _ pathArgs) (any, error) {
		files = call.Files
		return nil, nil
	}
	for _, needs := range []tool.Needs{0, tool.NeedFiles} {
		w := holding(t, running(look, func(s *tool.Spec[pathArgs, any]) { s.Needs = needs }))
		w.files = workspace{}
		wantValue(t, w.execute(t.Context(), job(`{"path":"a"}`)), "null")
		if got, want := files != nil, needs.Has(tool.NeedFiles); got != want {
			t.Errorf("needs %v: files given %v, want %v", needs, got, want)
		}
	}
	w := holding(t, returning(1, nil))
	w.portsErr = errors.New("disk gone")
	wantKind(t, w.execute(t.Context(), job(`{"path":"a"}`)), tool.Internal)
}

type workspace struct{ tool.Files }

// TestPrepareTakesAliases: a parameter under an older name is the parameter, also a
// parameter that bounds a list.
func TestPrepareTakesAliases(t *testing.T) {
	type args struct {
		Path  string `json:"path" alias:"file"`
		Limit int    `json:"limit,omitempty" alias:"count"`
	}
	one := tool.Add(tool.NewSet("Test", "test"), tool.Spec[args, args]{
		Name: "x", Description: "A tool of the tests.", Risk: tool.Low, Timeout: 30 * time.Second,
		Limit: &tool.Limit{Param: "limit", Max: 50, Default: 20},
		Run:   func(_ context.Context, _ *tool.Call, a args) (args, error) { return a, nil },
	})
	w := holding(t, one)
	wantValue(t, w.execute(t.Context(), job(`{"file":"a","count":900}`)), `{"path":"a","limit":50}`)
	wantValue(t, w.execute(t.Context(), job(`{"path":"a"}`)), `{"path":"a","limit":20}`)
}
