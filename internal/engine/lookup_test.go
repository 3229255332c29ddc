package engine

import (
	"errors"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestLookupUnknown(t *testing.T) {
	w, j := holding(t), job(`{}`)
	j.Name = "nope"
	out := w.execute(t.Context(), j)
	wantKind(t, out, tool.ToolNotFound)
	if want := "Tool 'nope' not found"; out.Err.Msg != want {
		t.Errorf("message = %q, want %q", out.Err.Msg, want)
	}
}

func TestLookupByAlias(t *testing.T) {
	w, j := holding(t, returning(1, nil)), job(`{"path":"a"}`)
	j.Name = "old_x"
	wantValue(t, w.execute(t.Context(), j), "1")
	if j.Tool != "x" || j.Name != "old_x" {
		t.Errorf("tool %q by name %q, want x by old_x", j.Tool, j.Name)
	}
}

func TestLookupFaults(t *testing.T) {
	cause := errors.New("the catalogue is on fire at /srv/cat")
	w := holding(t, returning(1, nil))
	w.lookupErr = cause
	out := w.execute(t.Context(), job(`{"path":"a"}`))
	wantKind(t, out, tool.Internal)
	if !errors.Is(out.Err, cause) {
		t.Errorf("cause = %v, want %v", out.Err.Cause, cause)
	}
	w.lookupErr, w.tools = nil, map[string]*Entry{}
	d := w.deps()
	d.Catalog = forgetful{}
	wantKind(t, New(d).Execute(t.Context(), job(`{}`)), tool.Internal)
}

type forgetful struct{}

func (forgetful) Lookup(string, string) (*Entry, error) { return nil, nil } //nolint:nilnil // what a bad catalogue does
