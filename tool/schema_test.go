package tool

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

type inner struct {
	City string `json:"city"`
	Zip  string `json:"zip,omitempty"`
}

type everything struct {
	Name    string             `json:"name" doc:"Its \"name\"." min:"1" max:"20"`
	Kind    string             `json:"kind" enum:"a,b,c" default:"a"`
	Count   int                `json:"count" min:"1" max:"50" default:"5"`
	Small   uint8              `json:"small,omitempty"`
	Ratio   float64            `json:"ratio,omitzero" min:"0.5"`
	On      bool               `json:"on" default:"true"`
	Tags    []string           `json:"tags" min:"1" max:"3"`
	Sides   []string           `json:"sides,omitempty" enum:"left,right"`
	Where   inner              `json:"where"`
	Maybe   *inner             `json:"maybe,omitempty"`
	Rows    []inner            `json:"rows,omitempty"`
	Scores  map[string]float64 `json:"scores,omitempty"`
	Free    map[string]any     `json:"free,omitempty"`
	Any     any                `json:"any"`
	Raw     json.RawMessage    `json:"raw,omitempty" doc:"Anything."`
	When    time.Time          `json:"when"`
	Bytes   []byte             `json:"bytes,omitempty"`
	Key     string             `json:"key,omitempty" doc:"Opens it." secret:"true" min:"1"`
	Keys    []string           `json:"keys,omitempty" secret:"true"`
	Door    any                `json:"door,omitempty" secret:"true"`
	Bare    string
	Out     string `json:"-"`
	private string //nolint:unused // must not become a parameter
}

const address = `"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"string"}},"required":["city"]`

const everythingSchema = `{"type":"object","properties":{` +
	`"name":{"type":"string","description":"Its \"name\".","minLength":1,"maxLength":20},` +
	`"kind":{"type":"string","enum":["a","b","c"],"default":"a"},` +
	`"count":{"type":"integer","minimum":1,"maximum":50,"default":5},` +
	`"small":{"type":"integer"},` +
	`"ratio":{"type":"number","minimum":0.5},` +
	`"on":{"type":"boolean","default":true},` +
	`"tags":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string"}},` +
	`"sides":{"type":"array","items":{"type":"string","enum":["left","right"]}},` +
	`"where":{` + address + `},` +
	`"maybe":{` + address + `},` +
	`"rows":{"type":"array","items":{` + address + `}},` +
	`"scores":{"type":"object","additionalProperties":{"type":"number"}},` +
	`"free":{"type":"object"},` +
	`"any":{},` +
	`"raw":{"description":"Anything."},` +
	`"when":{"type":"string","format":"date-time"},` +
	`"bytes":{"type":"string"},` +
	`"key":{"type":"string","description":"Opens it.","writeOnly":true,"minLength":1},` +
	`"keys":{"type":"array","writeOnly":true,"items":{"type":"string"}},` +
	`"door":{"writeOnly":true},` +
	`"Bare":{"type":"string"}},` +
	`"required":["name","tags","where","any","when","Bare"]}`

func TestSchemaOf(t *testing.T) {
	got, err := SchemaOf[everything]()
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(got) {
		t.Errorf("SchemaOf = %s, which is not JSON", got)
	}
	if string(got) != everythingSchema {
		t.Errorf("SchemaOf =\n%s\nwant\n%s", got, everythingSchema)
	}
}

func TestSchemaOfNothing(t *testing.T) {
	got, err := SchemaOf[struct{}]()
	if want := `{"type":"object","properties":{}}`; err != nil || string(got) != want {
		t.Errorf("SchemaOf[struct{}] = %s, %v, want %s", got, err, want)
	}
}

// Paging is embedded in what follows.
type Paging struct {
	Limit int `json:"limit,omitempty"`
}

type hidden struct {
	Deep string `json:"deep"`
}

func TestSchemaOfEmbedded(t *testing.T) {
	type named = struct {
		Paging
		hidden
		Sub Paging `json:"sub"`
		Own string `json:"own"`
	}
	got, err := SchemaOf[named]()
	want := `{"type":"object","properties":{"limit":{"type":"integer"},"deep":{"type":"string"},` +
		`"sub":{"type":"object","properties":{"limit":{"type":"integer"}}},"own":{"type":"string"}},"required":["deep","sub","own"]}`
	if err != nil || string(got) != want {
		t.Errorf("SchemaOf = %s, %v, want %s", got, err, want)
	}
	var args named
	if err := decodeArgs(json.RawMessage(`{"limit":3,"deep":"d","sub":{"limit":4},"own":"o"}`), &args); err != nil {
		t.Fatal(err)
	}
	if args.Limit != 3 || args.Deep != "d" || args.Sub.Limit != 4 || args.Own != "o" {
		t.Errorf("decoded %+v, want the fields as the schema names them", args)
	}
}

type loop struct {
	Next *loop `json:"next,omitempty"`
}

func TestSchemaOfRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		of   func() (json.RawMessage, error)
		says string
	}{
		"no struct":      {SchemaOf[string], "not a struct"},
		"itself":         {SchemaOf[loop], "contains itself"},
		"a channel":      {SchemaOf[struct{ C chan int }], "C: chan int has no JSON form"},
		"a deep channel": {SchemaOf[struct{ A []struct{ F func() } }], "F: func() has no JSON form"},
		"a bound of a bool": {SchemaOf[struct {
			B bool `min:"1"`
		}], `min:"1" does not fit type boolean`},
		"a bound of anything": {SchemaOf[struct {
			A any `max:"1"`
		}], "does not fit"},
		"a bound in words": {SchemaOf[struct {
			N int `max:"many"`
		}], `max:"many" does not fit type integer`},
		"a half secret": {SchemaOf[struct {
			S string `secret:"yes"`
		}], `S: secret:"yes" must be secret:"true" or absent`},
		"a default in words": {SchemaOf[struct {
			N int `default:"many"`
		}], `default:"many" is not JSON`},
	} {
		if got, err := tt.of(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: SchemaOf = %s, %v, want an error with %q", name, got, err, tt.says)
		}
	}
}

func TestResultSchema(t *testing.T) {
	for name, tt := range map[string]struct {
		of   func() (json.RawMessage, error)
		want string
	}{
		"anything": {resultSchemaOf[any], ""},
		"raw":      {resultSchemaOf[json.RawMessage], ""},
		"text":     {resultSchemaOf[string], `{"type":"string"}`},
		"a list":   {resultSchemaOf[[]int], `{"type":"array","items":{"type":"integer"}}`},
		"a struct": {resultSchemaOf[inner], `{` + address + `}`},
		"pointer":  {resultSchemaOf[*inner], `{` + address + `}`},
	} {
		if got, err := tt.of(); err != nil || string(got) != tt.want {
			t.Errorf("%s: result schema = %s, %v, want %s", name, got, err, tt.want)
		}
	}
}
