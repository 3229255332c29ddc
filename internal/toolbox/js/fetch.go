package js

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/dop251/goja"
)

// fetch sends requests through the host. Invalid arguments are a TypeError; a refusal
// or failure of the host is an Error with an error_type. Both reject the promise.
func (r *realm) fetch() goja.Value {
	var proto *goja.Object // of responses, created for the first one
	answer := func(a Answer) goja.Value {
		resp := &response{r: r}
		if err := json.Unmarshal(a.Value, &resp.FetchResponse); err != nil {
			panic(r.vm.NewTypeError("the host's answer cannot be read"))
		}
		if a.Body != nil {
			resp.Body = a.Body
		}
		if proto == nil {
			proto = class[*response]{name: "Response", method: responseMethod}.prototype(r)
		}
		resp.proto = proto
		return r.instance(resp, proto)
	}
	return r.function("fetch", func(call goja.FunctionCall) goja.Value {
		return r.promised(func() goja.Value {
			req := r.request(call)
			body := req.Body
			req.Body = nil
			return r.start(OpFetch, req, body, answer)
		})
	})
}

// request holds the arguments of fetch.
func (r *realm) request(call goja.FunctionCall) FetchRequest {
	req := FetchRequest{Method: http.MethodGet, URL: r.requestURL(call.Argument(0))}
	init := call.Argument(1)
	if goja.IsUndefined(init) || goja.IsNull(init) {
		return req
	}
	options, ok := init.(*goja.Object)
	if !ok {
		panic(r.vm.NewTypeError("fetch: the options must be an object"))
	}
	option := func(name string) goja.Value {
		if v := options.Get(name); v != nil && !goja.IsUndefined(v) && !goja.IsNull(v) {
			return v
		}
		return nil
	}
	if v := option("method"); v != nil {
		req.Method = strings.ToUpper(r.stringOf(v, "fetch: the method"))
	}
	if v := option("redirect"); v != nil {
		req.Redirect = r.stringOf(v, "fetch: redirect")
	}
	sent := r.headersOf(nil)
	if v := option("headers"); v != nil {
		sent = r.headersOf(r.pairsOf(v, "headers"))
	}
	if v := option("body"); v != nil {
		var kind string
		req.Body, kind = r.requestBody(v)
		if _, ok := sent.values["content-type"]; !ok && kind != "" {
			sent.values["content-type"] = kind
		}
		if req.Method == http.MethodGet || req.Method == http.MethodHead {
			panic(r.vm.NewTypeError("fetch: a %s request has no body; set another method", req.Method))
		}
	}
	req.Headers = sent.sorted()
	return req
}

func (r *realm) requestURL(v goja.Value) string {
	raw := r.stringOf(v, "fetch: the URL")
	u, ok := parseURL(raw, nil)
	switch {
	case !ok || u.scheme != "http" && u.scheme != "https":
		panic(r.vm.NewTypeError("fetch: %q is not a full address that begins with http:// or https://", cut(raw, 200)))
	case u.username != "" || u.password != "":
		panic(r.vm.NewTypeError("fetch: the URL holds a user name or password; send an Authorization header"))
	}
	u.fragment, u.hasFragment = "", false
	return u.href()
}

// requestBody returns a body and its default type.
func (r *realm) requestBody(v goja.Value) (body []byte, kind string) {
	if s, ok := v.(goja.String); ok {
		r.checkBody(s.Length())
		body, kind = []byte(s.String()), "text/plain;charset=UTF-8"
	} else if p, ok := valueOf[*searchParams](v); ok {
		body, kind = []byte(p.encode()), "application/x-www-form-urlencoded;charset=UTF-8"
	} else {
		data, ok := r.bytesOf(v)
		if !ok {
			panic(r.vm.NewTypeError(
				"fetch: the body must be a string, an ArrayBuffer, a typed array or URLSearchParams; give an object as JSON.stringify(object)",
			))
		}
		r.checkBody(len(data))
		body = bytes.Clone(data) // the script may change its own copy while this is sent
	}
	r.checkBody(len(body))
	return body, kind
}

func (r *realm) checkBody(size int) {
	if size > MaxBody {
		panic(r.vm.NewTypeError("fetch: the body has more than %d MB", MaxBody>>20))
	}
}
