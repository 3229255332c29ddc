package tool

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type numbers struct {
	N     int              `json:"n"`
	Small int8             `json:"small"`
	Big   uint64           `json:"big"`
	F     float64          `json:"f"`
	List  []int            `json:"list"`
	Map   map[string]int64 `json:"map"`
	Text  string           `json:"text"`
	Raw   json.RawMessage  `json:"raw"`
}

func TestDecodeArgs(t *testing.T) {
	for raw, want := range map[string]numbers{
		``:                                 {},
		`{}`:                               {},
		`{"n":5}`:                          {N: 5},
		`{"n":5.0}`:                        {N: 5},
		`{"n":1e3}`:                        {N: 1000},
		`{"n":-2.50e2}`:                    {N: -250},
		`{"n":0e400}`:                      {},
		`{"f":5.5}`:                        {F: 5.5},
		`{"n":5.0,"f":1e3}`:                {N: 5, F: 1000},
		`{"list":[1.0,2e0]}`:               {List: []int{1, 2}},
		`{"map":{"a":1E2}}`:                {Map: map[string]int64{"a": 100}},
		`{"n":1.0,"text":"1.0"}`:           {N: 1, Text: "1.0"},
		`{"big":18446744073709551615}`:     {Big: math.MaxUint64},
		`{"big":1.8446744073709551615e19}`: {Big: math.MaxUint64},
		`{"big":9007199254740993.0}`:       {Big: 9007199254740993},
		`{"other":1}`:                      {},
		`{"raw":{"a":1.50}}`:               {Raw: json.RawMessage(`{"a":1.50}`)},
	} {
		var got numbers
		if err := decodeArgs(json.RawMessage(raw), &got); err != nil {
			t.Errorf("decodeArgs(%s) = %v", raw, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("decodeArgs(%s) (-want +got):\n%s", raw, diff)
		}
	}
}

// TestDecodeArgsExactNames holds the tool to the members that policy and
// preview read: another spelling of a name is another name.
func TestDecodeArgsExactNames(t *testing.T) {
	type target struct {
		Path  string                `json:"path"`
		Where struct{ City string } `json:"where"`
		Items []inner               `json:"items"`
		More  map[string]inner      `json:"more"`
		Bare  string
		Size  int `json:"file_size"`
	}
	want := target{Path: "a", Items: []inner{{City: "x"}}, More: map[string]inner{"k": {City: "y"}}, Size: 1}
	want.Where.City = "b"
	for _, raw := range []string{
		`{"path":"a","PATH":"evil","Path":"evil","where":{"City":"b","city":"evil"},"items":[{"city":"x","City":"evil"}],` +
			`"more":{"k":{"city":"y","CITY":"evil"}},"bare":"evil","file_size":1,"filesize":2,"File-Size":3}`,
		// 1.0 takes the way through plainIntegers, which decodes a second time.
		`{"PATH":"evil","path":"a","where":{"city":"evil","City":"b"},"items":[{"CITY":"evil","city":"x"}],` +
			`"more":{"k":{"CITY":"evil","city":"y"}},"BARE":"evil","FILE_SIZE":2,"file_size":1.0,"\u017fize":4}`,
	} {
		var got target
		if err := decodeArgs(json.RawMessage(raw), &got); err != nil {
			t.Errorf("decodeArgs(%s) = %v", raw, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("decodeArgs(%s) (-want +got):\n%s", raw, diff)
		}
	}
}

func TestDecodeArgsRefuses(t *testing.T) {
	for _, raw := range []string{
		`{"n":5.5}`, `{"n":"5"}`, `{"n":1e400}`, `{"n":1e30}`, `{"n":9223372036854775808}`, `{"small":128}`, `{"small":1.28e2}`,
		`{"big":-1}`, `{"big":-1.0}`, `[]`, `{`, `{"n":1}{}`, `{"n":1.0}{}`, `{"n":1.0,"n":2.0}`, `{"list":{}}`, `{"n":1e999999999}`,
	} {
		var got numbers
		err := decodeArgs(json.RawMessage(raw), &got)
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != ValidationError || e.Cause == nil {
			t.Errorf("decodeArgs(%s) = %v, want a validation_error with a cause", raw, err)
		}
	}
}

func TestDecodeArgsNamesTheParameter(t *testing.T) {
	for raw, want := range map[string]string{
		`{"n":1e30}`:                 "n: too large",
		`{"n":9223372036854775808}`:  "n: too large",
		`{"big":1.0,"small":1.28e2}`: "small: too large",
		`[]`:                         "the arguments do not fit",
	} {
		var got numbers
		if err := decodeArgs(json.RawMessage(raw), &got); err == nil || !strings.Contains(err.Error(), " "+want) {
			t.Errorf("decodeArgs(%s) = %v, want %q", raw, err, want)
		}
	}
}

type ring struct{ Next *ring }

func TestEncode(t *testing.T) {
	closed := &ring{}
	closed.Next = closed
	for name, tt := range map[string]struct {
		out  any
		want string // "" is an execution_error
	}{
		"nil":            {nil, "null"},
		"a nil pointer":  {(*ring)(nil), "null"},
		"a nil slice":    {[]int(nil), "[]"},
		"text":           {"<a> & \u2028", `"<a> & \u2028"`},
		"not UTF-8":      {"a\xff", `"a\ufffd"`},
		"digits":         {json.Number("1.10"), "1.10"},
		"a struct":       {inner{City: "Ulm"}, `{"city":"Ulm"}`},
		"raw":            {json.RawMessage(`{"a": 1.0}`), `{"a": 1.0}`},
		"raw nothing":    {json.RawMessage(nil), "null"},
		"raw garbage":    {json.RawMessage(`{"a":`), ""},
		"raw not UTF-8":  {json.RawMessage("\"\xff\""), ""},
		"a channel":      {make(chan int), ""},
		"a function":     {map[string]any{"f": func() {}}, ""},
		"a cycle":        {closed, ""},
		"NaN":            {math.NaN(), ""},
		"infinity":       {[]float64{math.Inf(-1)}, ""},
		"a broken field": {struct{ R json.RawMessage }{json.RawMessage(`{`)}, ""},
	} {
		res, err := encode(tt.out)
		if tt.want != "" {
			if err != nil || string(res.Value) != tt.want {
				t.Errorf("encode(%s) = %s, %v, want %s", name, res.Value, err, tt.want)
			}
			continue
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != ExecutionError || e.Cause == nil || !strings.Contains(e.Msg, "cannot be encoded") {
			t.Errorf("encode(%s) = %s, %v, want an execution_error with a cause", name, res.Value, err)
		}
	}
}

type page struct {
	Lines int `json:"lines"`
}

func (p page) Present(r *Result) {
	r.Text, r.Truncated = "as a page: "+string(r.Value), true
	r.Metadata = map[string]any{"lines": p.Lines}
}

func TestPresent(t *testing.T) {
	one := Add(NewSet("Test", "test"), Spec[noArgs, page]{
		Name: "x", Description: "Does it.", Risk: Low, Timeout: 1,
		Run: func(context.Context, *Call, noArgs) (page, error) { return page{3}, nil },
	})
	inv, err := one.Bind(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := inv.Run(t.Context(), &Call{})
	want := Result{
		Value:     json.RawMessage(`{"lines":3}`),
		Text:      `as a page: {"lines":3}`,
		Truncated: true,
		Metadata:  map[string]any{"lines": 3},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Run: %v, result (-want +got):\n%s", err, diff)
	}
}

// TestNilListsAreEmpty: a list or a map of a result is [] or {}, never null, wherever it is.
func TestNilListsAreEmpty(t *testing.T) {
	type part struct {
		Tags  []string          `json:"tags"`
		By    map[string][]int  `json:"by"`
		Raw   json.RawMessage   `json:"raw"`
		Maybe *part             `json:"maybe"`
		Any   any               `json:"any"`
		Named map[string]string `json:"named,omitempty"`
	}
	type result struct {
		part

		List  []part  `json:"list"`
		None  []*part `json:"none"`
		Data  []byte  `json:"data"`
		Count *int    `json:"count"`
	}
	one := `"tags":[],"by":{},"raw":null,"maybe":null,"any":null`
	for want, out := range map[string]any{
		`{` + one + `,"list":[],"none":[],"data":"","count":null}`: &result{},
		`{` + one + `,"list":[{` + one + `}],"none":[{` + one + `},null],"data":"","count":null}`: result{
			List: []part{{}}, None: []*part{{}, nil},
		},
		`{"tags":["null \u2028 <"],"by":{"a":[],"b":[1]},"raw":{"x":null},"maybe":{` + one + `},"any":{"y":null}}`: part{
			Tags:  []string{"null \u2028 <"},
			By:    map[string][]int{"a": nil, "b": {1}},
			Raw:   json.RawMessage(`{"x":null}`),
			Maybe: &part{},
			Any:   map[string]any{"y": nil},
		},
		`[[],[1]]`: [][]int{nil, {1}},
	} {
		res, err := encode(out)
		if err != nil || string(res.Value) != want {
			t.Errorf("encode(%+v) = %s, %v, want %s", out, res.Value, err, want)
		}
	}
}
