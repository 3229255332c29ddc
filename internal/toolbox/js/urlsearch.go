package js

import (
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
)

func (r *realm) urlSearchParams() goja.Value {
	return class[*searchParams]{
		name:      "URLSearchParams",
		construct: newSearchParams,
		method:    searchMethod,
		iterator:  "entries",
	}.on(r)
}

// searchParams is a URLSearchParams object, on its own or of a URL, whose query then
// follows each change.
type searchParams struct {
	fixed

	r    *realm
	of   *address
	list [][2]string
}

func newSearchParams(r *realm, call goja.FunctionCall) *searchParams {
	init := call.Argument(0)
	switch _, isObject := init.(*goja.Object); {
	case goja.IsUndefined(init):
		return &searchParams{r: r}
	case isObject:
		return &searchParams{r: r, list: r.pairsOf(init, "URLSearchParams: the parameters")}
	}
	return &searchParams{r: r, list: parseForm(strings.TrimPrefix(r.stringOf(init, "URLSearchParams"), "?"))}
}

// parseForm parses a query.
func parseForm(query string) [][2]string {
	var list [][2]string
	for pair := range strings.SplitSeq(query, "&") {
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			list = append(list, [2]string{unescapeForm(name), unescapeForm(value)})
		}
	}
	return list
}

func (p *searchParams) encode() string {
	var b strings.Builder
	for i, pair := range p.list {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(escapeForm(pair[0]) + "=" + escapeForm(pair[1]))
	}
	return b.String()
}

// changed updates the URL.
func (p *searchParams) changed() goja.Value {
	if p.of != nil {
		p.of.query = p.encode()
		p.of.hasQuery = p.of.query != ""
	}
	return goja.Undefined()
}

func (p *searchParams) attributes() []string { return []string{"size"} }

func (p *searchParams) attribute(name string) goja.Value {
	if name == "size" {
		return p.r.vm.ToValue(len(p.list))
	}
	return nil
}

func searchMethod(name string) func(*searchParams, goja.FunctionCall) goja.Value {
	switch name {
	case "append", "set":
		return func(p *searchParams, call goja.FunctionCall) goja.Value {
			return p.put(name == "set", p.argument(call, 0), p.argument(call, 1))
		}
	case "get", "getAll":
		return func(p *searchParams, call goja.FunctionCall) goja.Value { return p.find(name == "getAll", call) }
	case "has":
		return func(p *searchParams, call goja.FunctionCall) goja.Value {
			return p.r.vm.ToValue(slices.ContainsFunc(p.list, p.match(call)))
		}
	case "delete":
		return func(p *searchParams, call goja.FunctionCall) goja.Value {
			p.list = slices.DeleteFunc(p.list, p.match(call))
			return p.changed()
		}
	case "sort":
		return (*searchParams).sort
	case "toString":
		return func(p *searchParams, _ goja.FunctionCall) goja.Value { return p.r.vm.ToValue(p.encode()) }
	case "forEach":
		return func(p *searchParams, call goja.FunctionCall) goja.Value {
			return p.r.forEach(slices.Clone(p.list), call)
		}
	case "keys", "values", "entries":
		return func(p *searchParams, _ goja.FunctionCall) goja.Value { return p.r.pairMethod(name, p.list) }
	}
	return nil
}

func (p *searchParams) argument(call goja.FunctionCall, i int) string {
	return p.r.stringOf(call.Argument(i), "URLSearchParams")
}

// match returns a function that matches pairs by the name, and by the value if given,
// in call.
func (p *searchParams) match(call goja.FunctionCall) func([2]string) bool {
	name := p.argument(call, 0)
	if goja.IsUndefined(call.Argument(1)) {
		return func(pair [2]string) bool { return pair[0] == name }
	}
	value := p.argument(call, 1)
	return func(pair [2]string) bool { return pair == [2]string{name, value} }
}

// put adds a pair, and if replace is set removes all others of the name.
func (p *searchParams) put(replace bool, name, value string) goja.Value {
	pair := [2]string{name, value}
	first := slices.IndexFunc(p.list, func(other [2]string) bool { return other[0] == name })
	if !replace || first < 0 {
		p.list = append(p.list, pair)
		return p.changed()
	}
	rest := slices.DeleteFunc(p.list[first+1:], func(other [2]string) bool { return other[0] == name })
	p.list = p.list[:first+1+len(rest)]
	p.list[first] = pair
	return p.changed()
}

// find returns the first value of a name, or all.
func (p *searchParams) find(all bool, call goja.FunctionCall) goja.Value {
	name := p.argument(call, 0)
	var values []any
	for _, pair := range p.list {
		if pair[0] != name {
			continue
		}
		if !all {
			return p.r.vm.ToValue(pair[1])
		}
		values = append(values, pair[1])
	}
	if !all {
		return goja.Null()
	}
	return p.r.vm.NewArray(values...)
}

// sort sorts by names in the order of JavaScript strings, by UTF-16 units.
func (p *searchParams) sort(goja.FunctionCall) goja.Value {
	slices.SortStableFunc(p.list, func(a, b [2]string) int {
		return slices.Compare(utf16.Encode([]rune(a[0])), utf16.Encode([]rune(b[0])))
	})
	return p.changed()
}
