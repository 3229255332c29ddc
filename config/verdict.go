package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	year     = 365 * 24 * time.Hour
	maxBytes = Bytes(1) << 50
	// maxMessages is beyond what any machine has the memory for.
	maxMessages = 100_000_000_000
)

var (
	subjectPrefix = pattern(`^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64})*$`)
	poolName      = pattern(`^[A-Za-z0-9_-]{1,64}$`)
	rateLimit     = pattern(`^[A-Za-z0-9_.]{0,64}\*?=[0-9]{1,7}/[0-9.hms]{2,20}( by (user|tenant))?$`)
	serviceLimit  = pattern(`^[A-Za-z0-9_.-]{0,64}\*?=[0-9]{1,7}/[0-9.hms]{2,20}( by (user|tenant))?$`)
	groupSwitch   = pattern(`^([A-Za-z0-9_-]{1,64}:)?[A-Za-z0-9_.-]{1,64}=(on|off)$`)
	hostName      = pattern(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_])?$`)
)

// verdict collects problems. Each method adds a problem if the value at path is not
// allowed.
type verdict struct{ problems []*Problem }

func (v *verdict) addf(path, format string, args ...any) {
	v.problems = append(v.problems, &Problem{Path: path, Text: fmt.Sprintf(format, args...)})
}

func (v *verdict) oneOf(path, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		n := len(allowed) - 1
		v.addf(path, "is %s; want %s or %s", show(value), strings.Join(allowed[:n], ", "), allowed[n])
	}
}

func (v *verdict) filled(path, value string) {
	if strings.TrimSpace(value) == "" {
		v.addf(path, "is empty; want a value")
	}
}

func (v *verdict) matches(path, value string, form func() *regexp.Regexp, want string) {
	if len(value) > 64 || !form().MatchString(value) {
		v.addf(path, "is %s; want %s", show(value), want)
	}
}

func (v *verdict) count(path string, n, least, most int) {
	if n < least || n > most {
		v.addf(path, "is %d; want %d to %d", n, least, most)
	}
}

func (v *verdict) size(path string, b, least, most Bytes) {
	if b < least || b > most {
		v.addf(path, "is %v; want %v to %v", b, least, most)
	}
}

func (v *verdict) between(path string, d, least, most time.Duration) {
	if d < least || d > most {
		v.addf(path, "is %s; want %s to %s", short(d), short(least), short(most))
	}
}

// addr requires HOST:PORT; an empty host means every interface.
func (v *verdict) addr(path, value string) {
	host, port, err := net.SplitHostPort(value)
	if err != nil || !isPort(port) || host != "" && !isHost(host) {
		v.addf(path, "is %s; want HOST:PORT, such as 127.0.0.1:8080", show(value))
	}
}

// url requires one URL with one of schemes.
func (v *verdict) url(path, value string, schemes ...string) {
	if !isURL(value, schemes) {
		v.addf(path, "is %s; want %s://HOST:PORT", show(value), strings.Join(schemes, ":// or "))
	}
}

// database requires the URL of a PostgreSQL database. It may have parameters of the
// connection, such as sslmode and passfile.
func (v *verdict) database(path, value string) {
	address, _, _ := strings.Cut(value, "?")
	u, err := url.Parse(value)
	switch {
	case err == nil && u.Query().Has("password"):
		v.addf(path, "has a password among its parameters; write it in front of the @, where it is not shown, or name a file with passfile=FILE")
	case err != nil || !isURL(address, []string{"postgres", "postgresql"}):
		v.addf(path,
			"is %s; want postgres://USER:PASSWORD@HOST/DB, with ?sslmode=verify-full and other parameters of the connection where they are needed",
			show(value))
	}
}

// urls requires one URL or several separated by commas.
func (v *verdict) urls(path, value string, schemes ...string) {
	for part := range strings.SplitSeq(value, ",") {
		if !isURL(strings.TrimSpace(part), schemes) {
			v.addf(path, "is %s; want %s://HOST:PORT, several parted by commas", show(value), strings.Join(schemes, ":// or "))
			return
		}
	}
}

func isURL(s string, schemes []string) bool {
	u, err := url.Parse(s)
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	port := u.Port()
	return isHost(u.Hostname()) && (port == "" || isPort(port) && port != "0")
}

// public requires the address of a server for browsers, if there is one: https, because
// credentials are sent there, or http on this machine.
func (v *verdict) public(path, value string) {
	value = strings.TrimSuffix(value, "/")
	scheme, rest, _ := strings.Cut(value, "://")
	u, err := url.Parse(value)
	switch {
	case value == "":
	case err != nil || !isURL(strings.ToLower(value), []string{"http", "https"}) || strings.ContainsAny(rest, "/@"):
		v.addf(path, "is %s; want https://HOST, with :PORT where it is not the usual one and nothing behind", show(value))
	case strings.EqualFold(scheme, "http") && !loopback(u.Hostname()):
		v.addf(path, "is %s; want https://, because credentials are sent there", show(value))
	}
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || host == "localhost"
}

// origin requires an origin as browsers send it.
func (v *verdict) origin(path, value string) {
	_, rest, _ := strings.Cut(value, "://")
	if !isURL(strings.ToLower(value), []string{"http", "https"}) || strings.ContainsAny(rest, "/@") {
		v.addf(path,
			"has %s; want http://HOST or https://HOST, with :PORT where it is not the usual one and nothing behind; "+
				"each origin by itself, there is no *",
			show(value))
	}
}

// host requires HOST, HOST:PORT or a network.
func (v *verdict) host(path, value string) {
	if _, err := netip.ParsePrefix(value); err == nil || isHost(value) {
		return
	}
	host, port, err := net.SplitHostPort(value)
	if err != nil || !isHost(host) || !isPort(port) || port == "0" {
		v.addf(path, "has %s; want HOST, HOST:PORT or a network such as 10.1.0.0/16", show(value))
	}
}

func isHost(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	return hostName().MatchString(s)
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && strconv.FormatUint(n, 10) == s
}
