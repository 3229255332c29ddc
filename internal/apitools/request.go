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

	"github.com/helve-dev/helve/internal/apidoc"
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
			text := simple(p.Name, raw, p.Encoding, url.PathEscape)
			if text == "" {
				return "", tool.Fail(tool.ValidationError, "the parameter '%s' is empty; it is a part of the address %s", a.name, o.op.Path)
			}
			path = strings.ReplaceAll(path, "{"+p.Name+"}", text)
		case p.In == apidoc.InQuery && len(raw) > 0:
			if p.JSON {
				raw, _ = json.Marshal(string(raw)) //nolint:errchkjson // a string is always encoded
			}
			list = append(list, pairs(p.Name, raw, p.Encoding)...)
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return "", tool.Fail(tool.ValidationError, "an argument makes the address leave its path: a part of %s cannot be %s", o.op.Path, segment)
		}
	}
	list = slices.DeleteFunc(list, func(p pair) bool { return k.query.Has(p.name) })
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
			return tool.Fail(tool.ValidationError, "the parameter '%s' is a header: its value cannot hold line breaks or other control characters", a.name)
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
