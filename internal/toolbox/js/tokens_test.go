package js

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// pieces are put together at random: most of what comes out is wrong, but what
// the parser takes must be read the same way by the meter.
var pieces = strings.Split("/|/|/|/x/|/=|)|(|a|1|{|}|;|\n|if(a)|while(a)|++|--|'/'|`|${|return |typeof | in | of |=|=>|,|[|]|/g|.|else "+
	"|do |function(){}|x=|!|-|?|:|"+
	"await |async |class{}|new |a.if|\\|\u2028|//|/*|*/|yield |let |for(a of b)|`x`|a:|switch(a){}|try{}finally{}|of|get|static", "|")

// A bracket that the meter takes for part of a regular expression, or the other
// way round, would go uncounted.
func TestMeterReadsWhatTheParserReads(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	compared := 0
	sources := 300_000
	if raced {
		sources = 60_000
	}
	for range sources {
		var b strings.Builder
		for range 1 + random.IntN(9) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		source := b.String()
		switch random.IntN(3) {
		case 0:
			source = "async function f(){" + source + "}"
		case 1:
			source = "function* f(){" + source + "}"
		}
		tree, err := parser.ParseFile(nil, "x", source, 0, parser.WithDisableSourceMaps)
		if err != nil {
			continue
		}
		read, ok := expressionsRead(source)
		if !ok {
			continue // refused
		}
		parsed := expressionsParsed(nil, reflect.ValueOf(tree.Body))
		slices.Sort(parsed)
		if parsed = slices.Compact(parsed); !slices.Equal(read, parsed) {
			t.Errorf("%q: regular expressions are read at %v, parsed at %v", source, read, parsed)
		}
		compared += len(parsed)
	}
	if compared < sources/150 {
		t.Errorf("only %d were compared", compared)
	}
}

// expressionsRead returns the positions, counted from 1, at which the meter reads a
// regular expression.
func expressionsRead(source string) (at []int, ok bool) {
	m := &meter{src: source, levels: make([]level, 1)}
	for {
		m.space()
		start := m.pos
		if start >= len(source) {
			return at, true
		}
		if m.token() != "" {
			return nil, false
		}
		if m.last == '/' && m.after == behind {
			at = append(at, start+1)
		}
	}
}

// expressionsParsed returns the positions at which the parser found one.
func expressionsParsed(at []int, v reflect.Value) []int {
	switch v.Kind() {
	case reflect.Interface:
		return expressionsParsed(at, v.Elem())
	case reflect.Pointer:
		if r, ok := reflect.TypeAssert[*ast.RegExpLiteral](v); ok {
			return append(at, int(r.Idx))
		}
		if !v.IsNil() {
			return expressionsParsed(at, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			at = expressionsParsed(at, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" {
				at = expressionsParsed(at, v.Field(i))
			}
		}
	}
	return at
}
