package call

import (
	"bytes"
	stdjson "encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// complete compares the fields of the codec with the struct.
func complete[T any](t *testing.T, fields []field[T]) {
	t.Helper()
	var v T
	is := reflect.ValueOf(&v).Elem()
	n := 0
	for i := range is.NumField() {
		tag := is.Type().Field(i).Tag.Get("json")
		if tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if n == len(fields) || fields[n].name != name || fields[n].always != (options == "") {
			t.Fatalf("%T: no field {%q, %v} at place %d", v, name, options == "", n)
		}
		if fields[n].of(&v) != is.Field(i).Addr().Interface() {
			t.Errorf("%T: %q is another field", v, name)
		}
		n++
	}
	if n != len(fields) {
		t.Errorf("%T: %d fields, want %d", v, len(fields), n)
	}
}

func TestFieldsAreComplete(t *testing.T) {
	complete(t, fields)
	complete(t, resultFields)
	complete(t, ownerFields)
}

// asLibrary compares the fast path with the library, in both directions.
func asLibrary[T any](t *testing.T, v *T, fields []field[T]) (short bool) {
	t.Helper()
	want, err := json.Marshal(v, lenient)
	got, short := appendObject(nil, v, fields)
	if short && (err != nil || !bytes.Equal(got, want)) {
		t.Errorf("%+v is written as\n%s, the library writes\n%s (%v)", v, got, want, err)
	}
	return short
}

func TestResultIsWrittenAsByTheLibrary(t *testing.T) {
	texts := []string{"", "x", `a "b" \c`, "line\nline\ttab\x00\x1f\x7f", "ü € 😀 \u2028 <&>", "bad \xff\xc3 bytes", strings.Repeat("é", 300)}
	values := []stdjson.RawMessage{
		nil, {}, []byte("null"), []byte(`{"b":1,"a":[true,"x\ny"]}`), []byte(` { "a" : 1 } `), []byte(`{"a":1,"a":2}`), []byte(`"\u0061"`),
		[]byte(`{`), []byte("\"\xff\""), []byte(`[1.50,1e3,-0]`),
	}
	numbers := []float64{0, 1, 0.001, 1.5, 1234567.891, 1e-6, 1e-7, 1e20, 1e21, -2.5, math.Copysign(0, -1), math.NaN(), math.Inf(1)}
	short := 0
	for i := range 4 * len(texts) * len(values) * len(numbers) {
		text, value, number := texts[i%len(texts)], values[i%len(values)], numbers[i%len(numbers)]
		e := &protocol.Result{
			CallID:     "c",
			Tool:       text,
			Status:     protocol.StatusSuccess,
			Text:       text,
			Result:     value,
			DurationMS: number,
			ErrorType:  tool.Kind(text),
			Attempt:    i % 3,
			Truncated:  i%2 == 0,
		}
		switch i % 8 {
		case 1:
			e.Owner = &protocol.Owner{}
		case 2:
			e.Owner = &protocol.Owner{User: text}
		case 3:
			e.Owner = &protocol.Owner{User: "u", Agent: text}
		case 4:
			e.Notes = []string{text}
		case 5:
			e.Notes, e.Metadata = []string{}, map[string]any{}
		case 6:
			e.Metadata = map[string]any{"k": text}
		case 7:
			e.ResultRef = &protocol.ResultRef{Object: "o"}
		}
		if asLibrary(t, e, resultFields) {
			short++
		}
	}
	if short == 0 {
		t.Error("no result was written the short way")
	}
}

func TestUsualMessagesGoTheShortWay(t *testing.T) {
	e := sampleCall()
	if !asLibrary(t, e, fields) {
		t.Error("a usual call is left to the library")
	}
	data, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !parseObject(data, new(Call), fields) {
		t.Errorf("a usual call is left to the library: %s", data)
	}
	if !asLibrary(t, sampleResult(), resultFields) {
		t.Error("a usual result is left to the library")
	}
}

func sampleResult() *protocol.Result {
	return &protocol.Result{
		CallID: "019a0000-0000-7000-8000-000000000000", ToolCallID: "toolu_1", TraceID: strings.Repeat("a", 32), Tool: "files.read",
		Status: protocol.StatusSuccess, State: protocol.StateDone, Result: stdjson.RawMessage(`{"text":"one\ntwo","lines":2,"size":7.5}`),
		DurationMS: 1.234, Attempt: 1, Worker: "w-1", Owner: &protocol.Owner{User: "ann", Agent: "bot"}, ArgsHash: "sha256:00", Origin: "mcp",
	}
}

// FuzzShortWay checks that the library reads the same values as the fast path, and that
// both write the same call.
func FuzzShortWay(f *testing.F) {
	full, err := sampleCall().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	for _, data := range []string{
		`{}`, `{"call_id":"c"}`, `{"call_id":"c","call_id":"d"}`, `{"again":true,"again":false}`, `{"again":false,"user":"é"}`,
		`{"accepted_ms":-5,"timeout_ms":0}`, `{"accepted_ms":-0}`, `{"accepted_ms":01}`,
		`{"accepted_ms":9223372036854775807}`, `{"accepted_ms":99999999999999999999}`, `{"accepted_ms":1.0}`, `{"accepted_ms":-}`,
		`{"arguments":null}`, `{"arguments":{"a":1},"arguments_ref":""}`, `{"arguments":{"a":1,"a":2}}`,
		`{"user":null}`, `{"user":"\u0061"}`, "{\"user\":\"\xff\"}", `{"call_id":"c",}`, `{"call_id":"c"} `, `{"x":1}`, `{"again":tru}`,
		`{"user":"a`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want Call
		given := bytes.Clone(data)
		if parseObject(data, &got, fields) {
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatalf("%s was read, the library refuses it: %v", data, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s is read otherwise (-library +short):\n%s", data, diff)
			}
		} else if json.Unmarshal(data, &got) != nil {
			return
		}
		if !bytes.Equal(given, data) {
			t.Fatalf("%q was changed to %q", given, data)
		}
		asLibrary(t, &got, fields)
	})
}

// BenchmarkShortWay measures the fast path and the library.
func BenchmarkShortWay(b *testing.B) {
	c, result := sampleCall(), sampleResult()
	data, err := c.Encode()
	if err != nil {
		b.Fatal(err)
	}
	library := func(v any) func() error {
		return func() error { _, err := json.Marshal(v, lenient); return err }
	}
	for _, c := range []struct {
		name           string
		short, library func() error
	}{
		{"call written", func() error { _, err := c.Encode(); return err }, library(c)},
		{
			"call read", func() error { _, err := Decode(data); return err },
			func() error { return json.Unmarshal(data, new(Call)) },
		},
		{"result written", func() error { _, err := EncodeResult(result); return err }, library(result)},
	} {
		for way, do := range map[string]func() error{"short": c.short, "library": c.library} {
			b.Run(c.name+"/"+way, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
