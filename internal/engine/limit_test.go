package engine

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

func TestLimit(t *testing.T) {
	w := holding(t, echoing(t, `{"type":"object","properties":{"q":{},"limit":{"type":"integer","minimum":1,"maximum":50}}}`,
		&tool.Limit{Param: "limit", Max: 50, Default: 20}))
	for args, want := range map[string]string{
		`{}`:                            `{"limit":20}`,
		`{"q":1}`:                       `{"limit":20,"q":1}`,
		`{"limit":20,"q":1}`:            `{"limit":20,"q":1}`,
		`{"limit":null}`:                `{"limit":20}`,
		`{"limit":"10"}`:                `{"limit":20}`,
		`{"limit":true}`:                `{"limit":20}`,
		`{"limit":[5]}`:                 `{"limit":20}`,
		`{"limit":{"limit":5}}`:         `{"limit":20}`,
		`{"q":{"limit":99},"limit":9}`:  `{"q":{"limit":99},"limit":9}`,
		`{"limit":51}`:                  `{"limit":50}`,
		`{"limit":1e300}`:               `{"limit":50}`,
		`{"limit":9223372036854775808}`: `{"limit":50}`,
		`{"limit":0}`:                   `{"limit":1}`,
		`{"limit":-3,"q":[]}`:           `{"limit":1,"q":[]}`,
		`{"limit":1e-300}`:              `{"limit":1}`,
		`{"limit":5.9}`:                 `{"limit":5}`,
		`{"limit":1e1}`:                 `{"limit":10}`,
		`{"\u006cimit":51}`:             `{"\u006cimit":50}`,
		"\t{\n\"q\" : \"limit\" , \"limit\" : 60 }\n": "\t{\n\"q\" : \"limit\" , \"limit\" : 50 }\n",
	} {
		out := w.execute(t.Context(), job(args))
		if string(out.Result.Value) != want {
			t.Errorf("arguments %s ran as %s (%v), want %s", args, out.Result.Value, out.Err, want)
		}
	}
}

type listArgs struct {
	Limit uint8 `json:"limit,omitempty"`
	Whole int   `json:"whole,omitempty"`
}

func TestLimitBeforeBinding(t *testing.T) {
	list := tool.Add(tool.NewSet("Test", "test"), tool.Spec[listArgs, int]{
		Name: "x", Description: "Lists.", Risk: tool.Low, Timeout: 1e9,
		Limit: &tool.Limit{Param: "limit", Max: 50, Default: 20},
		Run:   func(_ context.Context, _ *tool.Call, a listArgs) (int, error) { return int(a.Limit), nil },
	})
	w := holding(t, list)
	// None of these would fit the tool's uint8 as it came.
	for args, want := range map[string]string{
		`{}`: "20", `{"limit":"many"}`: "20", `{"limit":4000}`: "50", `{"limit":-1}`: "1", `{"limit":2.5}`: "2",
	} {
		wantValue(t, w.execute(t.Context(), job(args)), want)
	}
	// What is no limit and does not fit is the caller's to correct.
	out := w.execute(t.Context(), job(`{"whole":99999999999999999999}`))
	wantKind(t, out, tool.ValidationError)
	if w.judged.Run == nil {
		t.Error("the policy was never asked about a bound call")
	}
}

func TestMemberOfBrokenObject(t *testing.T) {
	for _, raw := range []string{``, `{`, `{"a"`, `{"a":1`, `{"a":1,}`} {
		if _, err := clamp(json.RawMessage(raw), &tool.Limit{Param: "limit", Max: 2, Default: 1}); err == nil {
			t.Errorf("clamp(%s) = nil error, want one", raw)
		}
	}
}

// FuzzClamp: whatever arguments may come, they leave as an object that holds a
// whole number within the bounds, and everything else as it was.
func FuzzClamp(f *testing.F) {
	for _, seed := range []string{`{}`, ` { "q":[{"limit":3}] , "limit" : -1e9 }`, `{"limit":{}}`, `{"\u006cimit":2.5,"a":"}"}`} {
		f.Add([]byte(seed))
	}
	l := &tool.Limit{Param: "limit", Max: 50, Default: 20}
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, err := schema.Arguments(raw)
		if err != nil {
			return // such a call is refused before
		}
		out, err := clamp(args, l)
		if err != nil {
			t.Fatalf("clamp(%s) = %v", args, err)
		}
		var before, after map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(args, &before), json.Unmarshal(out, &after)); err != nil {
			t.Fatalf("clamp(%s) = %s: %v", args, out, err)
		}
		if n, err := strconv.Atoi(string(after["limit"])); err != nil || n < 1 || n > l.Max {
			t.Errorf("clamp(%s) = %s: limit %s is not in 1..%d", args, out, after["limit"], l.Max)
		}
		delete(before, "limit")
		delete(after, "limit")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("clamp(%s) = %s changed the rest (-before +after):\n%s", args, out, diff)
		}
	})
}
