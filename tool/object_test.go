package tool

import (
	"context"
	"encoding/json"
	"testing"
	"time"
)

type objectArgs struct {
	Arguments Object `json:"arguments" doc:"Anything."`
}

// TestObject: what the caller wrote comes through as it is.
func TestObject(t *testing.T) {
	one := Add(NewSet("Test", "test"), Spec[objectArgs, string]{
		Name: "x", Description: "A tool.", Risk: Low, Mutates: false, Timeout: time.Second,
		Run: func(_ context.Context, _ *Call, a objectArgs) (string, error) { return string(a.Arguments), nil },
	})
	if got, want := string(one.Parameters),
		`{"type":"object","properties":{"arguments":{"type":"object","description":"Anything."}},"required":["arguments"]}`; got != want {
		t.Errorf("schema %s, want %s", got, want)
	}
	inv, err := one.Bind(json.RawMessage(`{"arguments":{"z":9007199254740993,"a":1.0}}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := inv.Run(t.Context(), &Call{})
	if got, want := string(res.Value), `"{\"z\":9007199254740993,\"a\":1.0}"`; got != want || err != nil {
		t.Errorf("the tool got %s, %v, want %s", got, err, want)
	}
}
