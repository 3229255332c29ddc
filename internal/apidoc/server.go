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

// expanded replaces {name} by the default of a variable.
func expanded(template string, variables *node) string {
	members(variables, func(name string, v *node) bool {
		template = strings.ReplaceAll(template, "{"+name+"}", text(field(v, "default")))
		return len(template) <= maxURL
	})
	return template
}

const maxURL = 2 << 10

// absolute returns an http or https URL without query; "" for anything else.
func absolute(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || len(s) > maxURL || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s, "{}") {
		return ""
	}
	u.RawQuery, u.Fragment = "", ""
	return strings.TrimRight(u.String(), "/")
}
