package apitools

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
	"github.com/helve-dev/helve/tool"
)

// maxURL bounds the address of a request.
const maxURL = 32 << 10

// request makes the request of a call. The credentials replace whatever the arguments have
// in their place.
func (o *offer) request(ctx context.Context, call *tool.Call, args json.RawMessage, k *keys) (*http.Request, error) {
	given := map[string]json.RawMessage{}
	for _, m := range membersOf(args) {
		given[m.name] = m.value
	}
	address, err := o.address(given, k)
	if err != nil {
		return nil, err
	}
	b, err := o.content(call, given)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, o.op.Method, address, b.reader)
	if err != nil {
		b.close()
		return nil, tool.Fail(tool.ValidationError, "the arguments make no valid address: %s", o.op.Path).Because(err)
	}
	req.ContentLength = b.size
	if b.again != nil {
		req.GetBody = b.again
	}
	req.Header.Set("User-Agent", "Helve")
	req.Header.Set("Accept", "application/json, */*;q=0.8")
	if b.media != "" {
		req.Header.Set("Content-Type", b.media)
	}
	if err := o.headers(req.Header, given); err != nil {
		b.close()
		return nil, err
	}
	maps.Copy(req.Header, k.header)
	if list := append(o.cookies(given), k.cookie...); len(list) > 0 {
		req.Header.Set("Cookie", strings.Join(list, "; "))
	}
	return req, nil
}

// address returns the URL of a call, with its query.
func (o *offer) address(given map[string]json.RawMessage, k *keys) (string, error) {
	path, list := o.op.Path, []pair(nil)
	for _, a := range o.plan.parameters {
		p, raw := a.parameter, given[a.name]
		switch {
		case p.In == apidoc.InPath:
			if len(raw) == 0 {
				return "", tool.Fail(tool.ValidationError, "the parameter '%s' is missing", a.name)
			}
			text := simple(p.Name, raw, p.Encoding, o.escape(p.Name))
			if text == "" {
				return "", tool.Fail(tool.ValidationError, "the parameter '%s' is empty; it is a part of the address %s", a.name, o.op.Path)
			}
			path = strings.ReplaceAll(path, "{"+p.Name+"}", text)
		case p.In == apidoc.InQuery && len(raw) > 0:
			if p.JSON {
				raw, _ = json.Marshal(string(raw))
			}
			list = append(list, pairs(p.Name, raw, p.Encoding)...)
		}
	}
	if part := leaves(path); part != "" {
		return "", tool.Fail(tool.ValidationError, "an argument makes the address leave its path: a part of %s cannot be %s", o.op.Path, part)
	}
	list = slices.DeleteFunc(list, func(p pair) bool { return carries(k.query, p.name) })
	all := query(list)
	if len(k.query) > 0 {
		all = strings.TrimPrefix(all+"&"+k.query.Encode(), "&")
	}
	address := strings.TrimRight(o.base.String(), "/") + path
	if all != "" {
		mark := "?"
		if strings.Contains(path, mark) {
			mark = "&"
		}
		address += mark + all
	}
	if len(address) > maxURL {
		return "", tool.Fail(tool.ValidationError, "the arguments make an address of more than %d bytes; send less", maxURL)
	}
	return address, nil
}

// escape returns how a parameter of the path is escaped. Some documents have a query in the
// path.
func (o *offer) escape(name string) func(string) string {
	if path, _, _ := strings.Cut(o.op.Path, "?"); strings.Contains(path, "{"+name+"}") {
		return url.PathEscape
	}
	return url.QueryEscape
}

// leaves returns a part of a path, . or .., with which a server might read it as another
// one; "" if it has none. A server in front of the API may decode %2F, even twice, and
// resolve the path afterwards.
func leaves(path string) string {
	path, _, _ = strings.Cut(path, "?")
	for strings.Contains(path, "%") {
		decoded, err := url.PathUnescape(path)
		if err != nil || decoded == path {
			break
		}
		path = decoded
	}
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' || r == ';' }) {
		if part == "." || part == ".." {
			return part
		}
	}
	return ""
}

// carries reports whether a parameter of a query has the name of one with a key. Some
// servers do not distinguish capital letters.
func carries(keys url.Values, name string) bool {
	for key := range keys {
		if strings.EqualFold(key, name) {
			return true
		}
	}
	return false
}

// headers sets the parameters in headers.
func (o *offer) headers(h http.Header, given map[string]json.RawMessage) error {
	for _, a := range o.plan.parameters {
		p, raw := a.parameter, given[a.name]
		if p.In != apidoc.InHeader || len(raw) == 0 {
			continue
		}
		text := string(raw)
		if !p.JSON {
			text = simple(p.Name, raw, p.Encoding, func(s string) string { return s })
		}
		if text = strings.Trim(text, " \t"); !httpguts.ValidHeaderFieldName(p.Name) || !httpguts.ValidHeaderFieldValue(text) {
			return tool.Fail(tool.ValidationError, "the parameter '%s' is a header: its value cannot hold line breaks or other control characters",
				a.name)
		}
		h.Set(p.Name, text)
	}
	return nil
}

// content is the body of a request.
type content struct {
	reader io.Reader
	media  string
	size   int64
	again  func() (io.ReadCloser, error)
}

func (c *content) close() {
	if closer, ok := c.reader.(io.Closer); ok {
		_ = closer.Close() // it was only read
	}
}
