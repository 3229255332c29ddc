package preview

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// maxHost is the longest name in DNS.
const maxHost = 253

// spoken maps a host as programs that look it up do, but keeps improper names so that they
// can be shown.
var spoken = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false))

// host warns of unusual forms of a host, which may have a port, and returns its ASCII form
// if that differs, to show beside the text.
func (f *findings) host(path func() string, host string) (aside string) {
	host = withoutPort(host)
	if host == "" {
		return ""
	}
	if len(host) > maxHost {
		f.warn(path(), "the host is longer than any name can be")
		return ""
	}
	if strings.Contains(host, "%") && !strings.HasPrefix(host, "[") {
		f.warn(path(), "the host is percent-encoded, so it may be another than it seems")
	}
	name := strings.ToLower(host)
	plain := ascii(host)
	if !plain {
		var err error
		if name, err = spoken.ToASCII(host); err != nil || !ascii(name) || strings.ContainsAny(name, "/?#@:%\\ ") {
			f.warn(path(), "the host is not a name that can be looked up for certain")
		}
		aside = hostName(name)
	}
	if strings.HasSuffix(name, ".") {
		f.warn(path(), "the host "+hostName(name)+" ends in a dot")
		name = strings.TrimSuffix(name, ".")
	}
	if ip, ok := disguised(name, plain); ok {
		f.warn(path(), "the host "+hostName(name)+" is the address "+ip.String()+" in an unusual form")
		return aside
	}
	if !plain || strings.Contains(name, "xn--") {
		f.looks(path, name)
	}
	return aside
}

// looks warns of a name that looks like another.
func (f *findings) looks(path func() string, name string) {
	letters, err := spoken.ToUnicode(name)
	if err != nil {
		f.warn(path(), "the host "+hostName(name)+" is not a proper name")
		return
	}
	if like := skeleton(letters); like != letters && ascii(like) {
		f.warn(path(), "the host "+hostName(name)+" is written to look like "+hostName(like))
		return
	}
	for label := range strings.SplitSeq(letters, ".") {
		if a, b := mixed(label); b != "" {
			f.warn(path(), "the host "+hostName(name)+" mixes "+a+" and "+b+" letters")
			return
		}
	}
}

// lookedUp returns a host in ASCII, as far as it has such a form.
func lookedUp(host string) string {
	if ascii(host) || len(host) > maxHost {
		return host
	}
	name, _ := spoken.ToASCII(host)
	return name
}

// hostName quotes a host for a sentence.
func hostName(host string) string {
	text, _ := shown(host, keyRoom)
	literal := quote(nil, text, false)
	return "'" + string(literal[1:len(literal)-1]) + "'"
}

// withoutPort returns host:port without the port and without brackets.
func withoutPort(host string) string {
	if strings.HasPrefix(host, "[") {
		if end := strings.IndexByte(host, ']'); end >= 0 {
			return host[:end+1]
		}
		return host
	}
	host, _, _ = strings.Cut(host, ":")
	return host
}

// disguised returns the address behind a host that is an address in an unusual notation:
// 2130706433, 0x7f.1, 0177.0.0.1, [::ffff:127.0.0.1], or with digits outside ASCII.
func disguised(host string, plain bool) (ip netip.Addr, odd bool) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		ip, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return ip.Unmap(), err == nil && ip.Is4In6()
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, !plain
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return ip, false
	}
	var whole uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(cNumber(part), 0, 33)
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if err != nil || n >= 1<<bits {
			return ip, false
		}
		whole = whole<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(whole >> 24), byte(whole >> 16), byte(whole >> 8), byte(whole)}), true
}

// cNumber converts a number in C notation for ParseUint: "0x" alone is 0, and Go's
// underscores and 0b are not accepted.
func cNumber(text string) string {
	switch {
	case strings.ContainsAny(text, "_bo") && !strings.HasPrefix(text, "0x"):
		return ""
	case text == "0x":
		return "0"
	}
	return text
}
