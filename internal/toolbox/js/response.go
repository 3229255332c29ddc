package js

import (
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// response is a Response. Its body is complete; reading it consumes it.
type response struct {
	fixed
	FetchResponse

	r     *realm
	proto *goja.Object
	heads *goja.Object // the Headers, created when a script first reads them
	used  bool
}

func (p *response) attributes() []string {
	return []string{"ok", "status", "statusText", "url", "redirected", "headers", "bodyUsed"}
}

func (p *response) attribute(name string) goja.Value {
	switch name {
	case "ok":
		return p.r.vm.ToValue(p.Status >= 200 && p.Status < 300)
	case "status":
		return p.r.vm.ToValue(p.Status)
	case "statusText":
		return p.r.vm.ToValue(p.StatusText)
	case "url":
		return p.r.vm.ToValue(p.URL)
	case "redirected":
		return p.r.vm.ToValue(p.Redirected)
	case "bodyUsed":
		return p.r.vm.ToValue(p.used)
	case "headers":
		if p.heads == nil {
			h := p.r.headersOf(nil)
			for _, pair := range p.Headers {
				h.add(pair[0], pair[1]) // the server's headers are shown unchanged
			}
			p.heads = p.r.make("Headers", h)
		}
		return p.heads
	}
	return nil
}

func responseMethod(name string) func(*response, goja.FunctionCall) goja.Value {
	switch name {
	case "text":
		return reads(func(p *response, body []byte) goja.Value { return p.r.vm.ToValue(decodeUTF8(body)) })
	case "json":
		return reads((*response).json)
	case "arrayBuffer":
		return reads(func(p *response, body []byte) goja.Value { return p.r.buffer(body) })
	case "clone":
		return (*response).clone
	}
	return nil
}

// reads returns a method that consumes the body and returns a promise of f's result.
func reads(f func(*response, []byte) goja.Value) func(*response, goja.FunctionCall) goja.Value {
	return func(p *response, _ goja.FunctionCall) goja.Value {
		return p.r.promised(func() goja.Value {
			p.unused()
			body := p.Body
			p.used, p.Body = true, nil
			return f(p, body)
		})
	}
}

func (p *response) unused() {
	if p.used {
		panic(p.r.vm.NewTypeError("the body of the response was read already; keep what the first read returned"))
	}
}

func (p *response) json(body []byte) goja.Value {
	v, err := p.r.parse(json.RawMessage(decodeUTF8(body)))
	if e, ok := err.(*tool.Error); ok { //nolint:errorlint // what goja throws wraps others
		panic(p.r.error("SyntaxError", e.Msg))
	}
	if err != nil {
		panic(err)
	}
	return v
}

func (p *response) clone(goja.FunctionCall) goja.Value {
	p.unused()
	twin := *p
	twin.heads, twin.Body = nil, append([]byte(nil), p.Body...) // a buffer can be written to
	return p.r.instance(&twin, p.proto)
}
