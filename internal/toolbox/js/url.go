package js

import (
	"github.com/dop251/goja"
)

// url returns the class URL.
func (r *realm) url() goja.Value {
	constructor := class[*address]{name: "URL", construct: newAddress, method: addressMethod}.on(r)
	_ = constructor.Set("canParse", r.function("canParse", func(call goja.FunctionCall) goja.Value {
		_, ok := r.parseAddress(call.Arguments)
		return r.vm.ToValue(ok)
	}))
	return constructor
}

// address is a URL object.
type address struct {
	*urlRecord

	r      *realm
	params *searchParams // created when a script first reads them
	object *goja.Object  // of params
}

func newAddress(r *realm, call goja.FunctionCall) *address {
	u, ok := r.parseAddress(call.Arguments)
	if !ok {
		panic(r.vm.NewTypeError("Invalid URL: %s", cut(call.Argument(0).String(), 200)))
	}
	return &address{r: r, urlRecord: u}
}

// parseAddress parses a URL and its optional base.
func (r *realm) parseAddress(args []goja.Value) (*urlRecord, bool) {
	if len(args) == 0 {
		panic(r.vm.NewTypeError("URL: give an address"))
	}
	var base *urlRecord
	if len(args) > 1 && !goja.IsUndefined(args[1]) {
		var ok bool
		if base, ok = parseURL(r.stringOf(args[1], "URL: the base"), nil); !ok {
			return nil, false
		}
	}
	return parseURL(r.stringOf(args[0], "URL"), base)
}

func addressMethod(name string) func(*address, goja.FunctionCall) goja.Value {
	if name == "toString" || name == "toJSON" {
		return func(a *address, _ goja.FunctionCall) goja.Value { return a.r.vm.ToValue(a.href()) }
	}
	return nil
}

func (a *address) attributes() []string {
	return []string{
		"href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash",
	}
}

func (a *address) attribute(name string) goja.Value {
	switch name {
	case "href":
		return a.r.vm.ToValue(a.href())
	case "origin":
		return a.r.vm.ToValue(a.origin())
	case "protocol":
		return a.r.vm.ToValue(a.scheme + ":")
	case "username":
		return a.r.vm.ToValue(a.username)
	case "password":
		return a.r.vm.ToValue(a.password)
	case "host":
		return a.r.vm.ToValue(a.place())
	case "hostname":
		return a.r.vm.ToValue(a.host)
	case "port":
		return a.r.vm.ToValue(a.port)
	case "pathname":
		return a.r.vm.ToValue(a.pathname())
	case "search":
		return a.r.vm.ToValue(lead("?", a.query))
	case "hash":
		return a.r.vm.ToValue(lead("#", a.fragment))
	case "searchParams":
		if a.params == nil {
			a.params = &searchParams{r: a.r, of: a, list: parseForm(a.query)}
			a.object = a.r.make("URLSearchParams", a.params)
		}
		return a.object
	}
	return nil
}

// lead puts a mark before a non-empty text.
func lead(mark, s string) string {
	if s == "" {
		return ""
	}
	return mark + s
}

// assign sets an attribute. As on the web, an invalid value changes nothing; only href
// throws.
func (a *address) assign(name string, v goja.Value) bool {
	if name == "origin" || name == "searchParams" {
		return false
	}
	value := a.r.stringOf(v, "URL: "+name)
	if name == "href" {
		u, ok := parseURL(value, nil)
		if !ok {
			panic(a.r.vm.NewTypeError("Invalid URL: %s", cut(value, 200)))
		}
		a.urlRecord = u
	} else {
		a.set(name, withoutBreaks(value))
	}
	if a.params != nil && (name == "href" || name == "search") {
		a.params.list = parseForm(a.query)
	}
	return true
}
