package config

import (
	"net/url"
	"strings"
)

const masked = "xxxxx"

// maskURLs hides the passwords in one URL or several separated by commas. A user
// without a password is a token for NATS, so it is hidden too. An invalid URL is hidden
// up to its last @, because a password may contain anything.
func maskURLs(list string) string {
	parts := strings.Split(list, ",")
	for i, part := range parts {
		safe, ok := maskURL(part)
		if !ok {
			return maskRest(list)
		}
		parts[i] = safe
	}
	return strings.Join(parts, ",")
}

func maskURL(s string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" {
		return "", false
	}
	if u.User == nil {
		// A later @ may end a password that contains a slash.
		return s, !strings.Contains(s, "@")
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), masked)
	} else {
		u.User = url.User(masked)
	}
	return u.String(), !strings.Contains(u.Host+u.Path+u.RawQuery+u.Fragment, "@")
}

func maskRest(s string) string {
	at := strings.LastIndex(s, "@")
	if at < 0 {
		return s
	}
	scheme := ""
	if i := strings.Index(s[:at], "://"); i >= 0 {
		scheme = s[:i+len("://")]
	}
	if strings.ContainsAny(scheme, "@,") {
		scheme = ""
	}
	return scheme + masked + s[at:]
}
