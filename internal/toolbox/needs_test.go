package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// TestNewRefusesWhatNeedsAPart: a tool that needs a part which the worker lacks is
// refused with the name of the part.
func TestNewRefusesWhatNeedsAPart(t *testing.T) {
	needing := func(needs tool.Needs) *tool.Set {
		set := tool.NewSet("Test", "test")
		tool.Add(set, tool.Spec[struct{}, bool]{
			Name: "reach", Description: "Reaches out.", Risk: tool.Low, Mutates: false, Timeout: time.Second, Needs: needs,
			Run: func(context.Context, *tool.Call, struct{}) (bool, error) { return true, nil },
		})
		return set
	}
	for _, tt := range []struct {
		needs tool.Needs
		part  string
	}{
		{tool.NeedCustomTools, "javascript"},
		{tool.NeedFiles | tool.NeedPrograms, "programs"},
		{tool.NeedContainers, "containers"},
		{tool.NeedDesktop, "desktop"},
		{tool.NeedFonts, "fonts"},
	} {
		_, err := New(Options{Sets: []*tool.Set{needing(tt.needs)}, Pools: []string{"default"}, Permissions: nil, Opened: 0})
		if err == nil || !strings.Contains(err.Error(), "worker/parts/"+tt.part) || !strings.Contains(err.Error(), tt.part+".Part()") {
			t.Errorf("needs %b: %v does not name the part %s", tt.needs, err, tt.part)
		}
		if _, err := New(Options{
			Sets:        []*tool.Set{needing(tt.needs)},
			Pools:       []string{"default"},
			Permissions: nil,
			Opened:      ^tool.Needs(0),
		}); err != nil {
			t.Errorf("with every part: %v", err)
		}
	}
}

// TestScriptsOnAWorkerWithoutThem: a worker without JavaScript that gets a call of a
// model's tool says so, instead of that there is no such tool.
func TestScriptsOnAWorkerWithoutThem(t *testing.T) {
	tools, err := New(Options{Sets: nil, Pools: []string{"default"}, Permissions: nil, Opened: 0})
	if err != nil {
		t.Fatal(err)
	}
	tools.All = catalog.NewTenants(catalog.New())
	def := tool.Definition{
		Name: "double", Description: "Doubles.", Kind: tool.KindDynamic, Risk: tool.Low, Enabled: true, Category: "Custom",
		Parameters: json.RawMessage(`{"type":"object","properties":{}}`),
	}
	if err := tools.All.PutOwn("acme", "ann", def); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		user string
		want tool.Kind
	}{{"ann", tool.NotConfigured}, {"bob", tool.ToolNotFound}} {
		_, err := tools.Lookup("acme", tt.user, "double")
		if e := new(tool.Error); !errors.As(err, &e) || e.Kind != tt.want {
			t.Errorf("Lookup for %s = %v, want %s", tt.user, err, tt.want)
		}
	}
	if port := tools.CustomTools(); port != nil {
		t.Errorf("CustomTools = %v, want no port at all", port)
	}
}
