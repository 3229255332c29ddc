package apidoc

import (
	"net/url"
	"strings"
)

// server returns the first absolute URL of a list of servers, with the defaults of its
// variables; "" if there is none.
func server(list *node) string {
	for _, item := range items(list) {
		if s := absolute(expanded(text(field(item, "url")), field(item, "variables"))); s != "" {
			return s
		}
	}
	return ""
}

// expanded replaces {name} by the default of a variable. What becomes longer than a URL may
// be is returned as it is then.
func expanded(template string, variables *node) string {
	members(variables, func(name string, v *node) bool {
		value := text(field(v, "default"))
		if len(template) > maxURL || len(value) > maxURL {
			return false
		}
		template = strings.ReplaceAll(template, "{"+name+"}", value)
		return true
	})
	return template
}

const maxURL = 2 << 10

// absolute returns an http or https URL without query; "" for anything else.
func absolute(s string) string {
	if len(s) > maxURL {
		return ""
	}
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s, "{}") {
		return ""
	}
	u.RawQuery, u.Fragment = "", ""
	return strings.TrimRight(u.String(), "/")
}
