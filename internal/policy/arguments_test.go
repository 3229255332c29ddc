package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func everything(string) bool { return true }

func TestArguments(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                              `{}`,
		"{}":                            `{}`,
		` {"a": "x", "b": true} `:       `{"a":"x", "b":true}`,
		`{"a": null, "b": [null, 1]}`:   `{"b":[1]}`,
		`{"a": [3, 3, 1], "b": []}`:     `{"a":[1, 3], "b":[]}`,
		`{"a": {"b": {"c": 1}}}`:        `{"a":{"b":{"c":1}}}`,
		`{"\u0061": "\ud83d\ude00"}`:    `{"a":"😀"}`,
		`{"path": "a", "PATH": "b"}`:    `{"PATH":"b", "path":"a"}`,
		`{"a": -7, "b": 1.5, "c": 1e3}`: `{"a":-7, "b":decimal("1.5"), "c":1000}`,
	} {
		got, err := arguments([]byte(in), everything)
		if err != nil || got.String() != want {
			t.Errorf("arguments(%s) = %s, %v, want %s", in, got, err, want)
		}
	}
}

func TestArgumentsRefused(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`[]`, `null`, `"x"`, `{`, `{"a": 1,}`, `{"a": 1} 2`, `{"a": tru}`, `{"a": [}`, `{"a": 01}`, `{"a": "\ud800"}`,
		`{"a": 1, "a": 1}`, `{"x": {"a": 1, "\u0061": 2}}`, "{\"a\": \"\xff\"}",
		`{"a": [` + strings.Repeat("1,", maxValues) + `1]}`,
	} {
		if got, err := arguments([]byte(in), everything); err == nil {
			t.Errorf("arguments(%.60s) = %s, want an error", in, got)
		}
	}
}

// TestArgumentsNotRead: what no rule reads costs nothing but its bytes, and is
// still JSON without a name twice.
func TestArgumentsNotRead(t *testing.T) {
	t.Parallel()
	onlyPath := func(name string) bool { return name == "path" }
	long := `{"content": [` + strings.Repeat("1,", maxValues) + `1], "path": "x"}`
	if got, err := arguments([]byte(long), onlyPath); err != nil || got.String() != `{"path":"x"}` {
		t.Errorf("arguments = %s, %v, want the path only", got, err)
	}
	if got, err := arguments([]byte(`{"content": 1, "content": 2, "path": "x"}`), onlyPath); err == nil {
		t.Errorf("arguments with a name twice = %s, want an error", got)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "0e9": "0", "12": "12", "5.0": "5", "1e3": "1000", "1.50e1": "15", "-2E+2": "-200", "100e-2": "1",
		"9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
		"9223372036854775808": `"9223372036854775808"`, "1e400": `"1e400"`, "1e99999999999999999999": `"1e99999999999999999999"`,
		"1.5": `decimal("1.5")`, "-0.0001": `decimal("-0.0001")`, "15e-1": `decimal("1.5")`,
		"922337203685477.5807": `decimal("922337203685477.5807")`,
		"0.00001":              `"0.00001"`, "922337203685477.5808": `"922337203685477.5808"`,
		"1e-9223372036854775808": `"1e-9223372036854775808"`,
	} {
		if got := string(number(text).MarshalCedar()); got != want {
			t.Errorf("number(%s) = %s, want %s", text, got, want)
		}
	}
}

// TestOneValue: the tool and the rule read one and the same value, whatever the
// spelling of names and numbers.
func TestOneValue(t *testing.T) {
	t.Parallel()
	type args struct {
		Path  string `json:"path,omitempty"`
		Count int    `json:"count,omitempty"`
	}
	var seen args
	set := tool.NewSet("Test", "test")
	echo := tool.Add(set, tool.Spec[args, args]{
		Name: "echo", Description: "Echo.", Risk: tool.Low, Timeout: time.Second,
		Run: func(_ context.Context, _ *tool.Call, a args) (args, error) { seen = a; return a, nil },
	})
	for _, raw := range []string{
		`{"path": "a", "count": 1000}`, `{"Path": "a", "COUNT": 7}`, `{"path": "a", "PATH": "b"}`, `{"\u0070ath": "c", "count": 1e3}`,
		`{"count": 1000.0}`, `{"path": null}`, `{"path": "a", "path": "b"}`, `{"path": "a", "\u0070ath": "b"}`,
	} {
		record, refused := arguments([]byte(raw), everything)
		bound, err := echo.Bind(json.RawMessage(raw))
		if (err == nil) != (refused == nil) {
			t.Errorf("%s: the tool says %v, the policy %v", raw, err, refused)
		}
		if err != nil {
			continue
		}
		seen = args{}
		if _, err := bound.Run(t.Context(), &tool.Call{}); err != nil {
			t.Fatal(err)
		}
		path, hasPath := record.Get("path")
		count, hasCount := record.Get("count")
		if hasPath != (seen.Path != "") || hasPath && fmt.Sprint(path) != seen.Path || hasCount != (seen.Count != 0) ||
			hasCount && fmt.Sprint(count) != fmt.Sprint(seen.Count) {
			t.Errorf("%s: the tool reads %+v, a rule %s", raw, seen, record)
		}
	}
}

// FuzzDecide: no arguments make a decision panic.
func FuzzDecide(f *testing.F) {
	p := of(f, Options{}, `
		forbid(principal, action == Action::"execute", resource) when { context.arguments has a && context.arguments.a == 1 };
		forbid(principal, action == Action::"execute", resource) when { context.arguments == {"b": [1, "x", {"c": decimal("1.5")}]} };`)
	for _, seed := range []string{`{"a": 1}`, `{"b": [1, "x", {"c": 1.5}]}`, `[`, `{"a": 1e400}`, "{\"\xff\": null}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		got := p.Decide(call(writeFile, string(args)))
		if got.Rule == "policy:failed" || got.Outcome == "" {
			t.Errorf("Decide(%q) = %+v", args, got)
		}
		if !json.Valid(args) && len(args) > 0 && got.Outcome != Refuse {
			t.Errorf("Decide(%q) = %+v, want a refusal of what is no JSON", args, got)
		}
	})
}
