package apitools

import (
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
)

// cookies returns the parameters in cookies, each as NAME=VALUE.
func (o *offer) cookies(given map[string]json.RawMessage) (list []string) {
	for _, a := range o.plan.parameters {
		p, raw := a.parameter, given[a.name]
		if p.In != apidoc.InCookie || len(raw) == 0 {
			continue
		}
		if p.JSON {
			raw, _ = json.Marshal(string(raw))
		}
		for _, one := range pairs(p.Name, raw, p.Encoding) {
			if !httpguts.ValidHeaderFieldName(one.name) {
				continue // a member of an object has the name of no cookie
			}
			values := make([]string, len(one.values))
			for i, value := range one.values {
				values[i] = inCookie(value)
			}
			list = append(list, one.name+"="+strings.Join(values, ","))
		}
	}
	return list
}

// octet reports whether the value of a cookie may hold a byte (RFC 6265, 4.1.1).
func octet(b byte) bool { return b > ' ' && b < 0x7f && strings.IndexByte("\",;\\", b) < 0 }

// inCookie escapes what the value of a cookie cannot hold.
func inCookie(value string) string {
	var w strings.Builder
	for _, b := range []byte(value) {
		if !octet(b) || b == '%' {
			fmt.Fprintf(&w, "%%%02X", b)
			continue
		}
		w.WriteByte(b)
	}
	return w.String()
}
