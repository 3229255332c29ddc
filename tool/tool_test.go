package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

type modeArgs struct {
	Mode string `json:"mode"`
}

func TestBindJudgesTheCall(t *testing.T) {
	is := func(mode string) func(modeArgs) bool { return func(a modeArgs) bool { return a.Mode == mode } }
	for _, tt := range []struct {
		name                string
		mutates, idempotent bool
		reads, repeats      func(modeArgs) bool
		mode                string
		wantMutates         bool
		wantIdempotent      bool
	}{
		{name: "reads"},
		{name: "mutates", mutates: true, wantMutates: true},
		{name: "repeats", mutates: true, idempotent: true, wantMutates: true, wantIdempotent: true},
		{name: "reads with GET", mutates: true, reads: is("GET"), mode: "GET"},
		{name: "mutates with POST", mutates: true, reads: is("GET"), mode: "POST", wantMutates: true},
		{name: "a tool that reads never mutates", reads: is("GET"), mode: "POST"},
		{name: "repeats with PUT", mutates: true, repeats: is("PUT"), mode: "PUT", wantMutates: true, wantIdempotent: true},
		{name: "not with POST", mutates: true, repeats: is("PUT"), mode: "POST", wantMutates: true},
	} {
		one := Add(NewSet("Test", "test"), Spec[modeArgs, any]{
			Name: "x", Description: "Does it.", Risk: Low, Timeout: 1,
			Mutates: tt.mutates, Idempotent: tt.idempotent, Reads: tt.reads, Repeats: tt.repeats,
			Run: func(context.Context, *Call, modeArgs) (any, error) { return nil, nil },
		})
		inv, err := one.Bind(json.RawMessage(`{"mode":"` + tt.mode + `"}`))
		if err != nil || inv.Mutates != tt.wantMutates || inv.Idempotent != tt.wantIdempotent {
			t.Errorf("%s: mutates %v, idempotent %v, %v, want %v, %v", tt.name, inv.Mutates, inv.Idempotent, err, tt.wantMutates, tt.wantIdempotent)
		}
	}
}

func TestNew(t *testing.T) {
	def := Add(NewSet("Test", "test"), minimal("x")).Definition
	def.Mutates, def.Kind = true, KindRemote
	run := func(_ context.Context, call *Call, args json.RawMessage) (Result, error) {
		return Result{Value: args, Text: call.ID}, nil
	}
	one, err := New(def, NeedHTTP, run)
	if err != nil {
		t.Fatal(err)
	}
	inv, err := one.Bind(json.RawMessage(`{"a":1}`))
	if err != nil || !inv.Mutates || inv.Idempotent || !one.Needs.Has(NeedHTTP) || one.Needs.Has(NeedFiles) {
		t.Errorf("Bind = %+v, %v, needs %v, want a call that mutates and needs HTTP only", inv, err, one.Needs)
	}
	res, err := inv.Run(t.Context(), &Call{ID: "c1"})
	if err != nil || string(res.Value) != `{"a":1}` || res.Text != "c1" {
		t.Errorf("Run = %s, %q, %v, want the arguments and the call's id", res.Value, res.Text, err)
	}
}

// TestNewUntyped: a tool may refuse a call early, and run once although it is idempotent.
func TestNewUntyped(t *testing.T) {
	for _, tt := range []struct{ mutates, idempotent, once, want bool }{
		{true, true, false, true}, {true, true, true, false}, {false, true, true, true}, {true, false, true, false},
	} {
		def := Add(NewSet("Test", "test"), minimal("x")).Definition
		def.Mutates, def.Idempotent = tt.mutates, tt.idempotent
		one, err := NewUntyped(def, 0, Untyped{
			Once: tt.once,
			Check: func(_ context.Context, call *Call, args json.RawMessage) error {
				return Fail(NotFound, "%s %s", call.ID, args)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		inv, err := one.Bind(json.RawMessage(`{"a":1}`))
		if err != nil || inv.Idempotent != tt.want || inv.Mutates != tt.mutates {
			t.Errorf("%+v is bound as %+v, %v", tt, inv, err)
		}
		if e := AsError(inv.Check(t.Context(), &Call{ID: "c1"})); e == nil || e.Msg != `c1 {"a":1}` {
			t.Errorf("Check = %v", e)
		}
	}
}

func TestNewNamesEveryProblem(t *testing.T) {
	_, err := New(Definition{Name: "x", Parameters: json.RawMessage(`{`)}, 0, nil)
	if err == nil {
		t.Fatal("New = nil error, want one")
	}
	for _, want := range []string{`tool "x"`, "description", "risk", "confirmation", "timeout", "parameters are not JSON"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v, want %q in it", err, want)
		}
	}
}
