package js

import "strings"

// href returns the whole URL.
func (u *urlRecord) href() string {
	var b strings.Builder
	b.WriteString(u.scheme + ":")
	if u.hasHost {
		b.WriteString("//")
		if u.username != "" || u.password != "" {
			b.WriteString(u.username + lead(":", u.password) + "@")
		}
		b.WriteString(u.place())
	} else if len(u.path) > 1 && u.path[0] == "" {
		b.WriteString("/.") // otherwise the path would be read as a host
	}
	b.WriteString(u.pathname())
	if u.hasQuery {
		b.WriteString("?" + u.query)
	}
	if u.hasFragment {
		b.WriteString("#" + u.fragment)
	}
	return b.String()
}

// place returns host and port.
func (u *urlRecord) place() string { return u.host + lead(":", u.port) }

func (u *urlRecord) pathname() string {
	if u.isOpaque {
		return u.opaque
	}
	if len(u.path) == 0 {
		return ""
	}
	return "/" + strings.Join(u.path, "/")
}

func (u *urlRecord) origin() string {
	if !isSpecial(u.scheme) || u.scheme == "file" {
		return "null"
	}
	return u.scheme + "://" + u.place()
}

// set changes one part, if the value is valid.
func (u *urlRecord) set(part, value string) {
	switch part {
	case "protocol":
		u.setScheme(value)
	case "username", "password":
		if u.host != "" && u.scheme != "file" {
			*map[string]*string{"username": &u.username, "password": &u.password}[part] = escape(value, userinfoSet)
		}
	case "host", "hostname", "port":
		u.setPart(part, value)
	case "pathname":
		if !u.isOpaque {
			u.readPath(nil, value)
		}
	case "search":
		u.query, u.hasQuery = escapeQuery(strings.TrimPrefix(value, "?"), isSpecial(u.scheme)), value != ""
	case "hash":
		u.fragment, u.hasFragment = escape(strings.TrimPrefix(value, "#"), fragmentSet), value != ""
	}
}

func (u *urlRecord) setScheme(value string) {
	name, _, _ := strings.Cut(value, ":")
	if !schemePattern.MatchString(name + ":") {
		return
	}
	name = strings.ToLower(name)
	switch {
	case isSpecial(name) != isSpecial(u.scheme):
		return
	case name == "file" && (u.username != "" || u.password != "" || u.port != ""), u.scheme == "file" && u.host == "":
		return
	}
	u.scheme = name
	u.setPort(u.port)
}

// setPart sets host, hostname or port to the corresponding part of value.
func (u *urlRecord) setPart(part, value string) {
	if u.isOpaque || part == "port" && (u.host == "" || u.scheme == "file") {
		return
	}
	if end := strings.IndexFunc(value, func(c rune) bool { return c == '?' || c == '#' || u.isSlash(c) }); end >= 0 {
		value = value[:end]
	}
	switch part {
	case "port":
		digits := len(value) - len(strings.TrimLeft(value, "0123456789"))
		if before := u.port; (digits > 0 || value == "") && !u.setPort(value[:digits]) {
			u.port = before
		}
	case "hostname":
		colon := strings.LastIndexByte(value, ':') > strings.LastIndexByte(value, ']')
		if port := u.port; !colon && u.setPlace(value) {
			u.port = port
		}
	case "host":
		port := u.port
		if u.setPlace(value) && !strings.HasSuffix(value, ":") && strings.LastIndexByte(value, ':') <= strings.LastIndexByte(value, ']') {
			u.port = port // the value has none
		}
	}
}
