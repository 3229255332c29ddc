package js

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// idnaProfile converts host names to ASCII as browsers do, which are more lenient than
// name servers.
var idnaProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false),
	idna.CheckHyphens(false), idna.VerifyDNSLength(false), idna.BidiRule(), idna.CheckJoiners(true))

// Characters that a host must not contain, and those that a domain name must not
// contain.
const (
	noHost   = "\x00\t\n\r #/:<>?@[\\]^|"
	noDomain = noHost + "%\x7f"
)

// maxHost limits a host, in bytes: the work on a name beyond ASCII grows with its
// square, and no name server knows a name of more than 253 bytes.
const maxHost = 1 << 10

// parseHost returns the canonical spelling of a host.
func parseHost(host string, special bool) (string, bool) {
	if len(host) > maxHost {
		return "", false
	}
	spelled, ok := spellHost(host, special)
	return spelled, ok && len(spelled) <= maxHost
}

func spellHost(host string, special bool) (string, bool) {
	if strings.HasPrefix(host, "[") {
		return parseIPv6(host)
	}
	if !special {
		return escape(host, ""), !strings.ContainsAny(host, noHost)
	}
	if host == "" {
		return "", true
	}
	name, _ := decodeText("utf-8", []byte(unescape(host)))
	name, ok := asciiName(name)
	if !ok || name == "" || strings.ContainsAny(name, noDomain) || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' }) {
		return "", false
	}
	if endsInNumber(name) {
		return parseIPv4(name)
	}
	return name, true
}

func asciiName(name string) (string, bool) {
	lower := strings.ToLower(name)
	if !strings.Contains(lower, "xn--") && !strings.ContainsFunc(name, func(c rune) bool { return c > '~' }) {
		return lower, true
	}
	ascii, err := idnaProfile.ToASCII(name)
	return ascii, err == nil
}

func parseIPv6(host string) (string, bool) {
	if !strings.HasSuffix(host, "]") || strings.Contains(host, "%") {
		return "", false
	}
	addr, err := netip.ParseAddr(host[1 : len(host)-1])
	if err != nil || !addr.Is6() {
		return "", false
	}
	if addr.Is4In6() { // netip formats the end of these with dots
		b := addr.As16()
		return fmt.Sprintf("[::ffff:%x:%x]", int(b[12])<<8|int(b[13]), int(b[14])<<8|int(b[15])), true
	}
	return "[" + addr.String() + "]", true
}

// endsInNumber reports whether a name is intended as an IPv4 address.
func endsInNumber(name string) bool {
	parts := strings.Split(strings.TrimSuffix(name, "."), ".")
	last := parts[len(parts)-1]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := ipv4Part(last)
	return ok
}

// parseIPv4 parses an IPv4 address as browsers do: 1 to 4 numbers, also in hexadecimal
// and octal, of which the last one fills the rest.
func parseIPv4(name string) (string, bool) {
	parts := strings.Split(strings.TrimSuffix(name, "."), ".")
	if len(parts) > 4 {
		return "", false
	}
	var addr uint64
	for i, part := range parts {
		n, ok := ipv4Part(part)
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if !ok || n >= 1<<bits {
			return "", false
		}
		addr = addr<<bits | n
	}
	b := []uint64{addr >> 24, addr >> 16 & 255, addr >> 8 & 255, addr & 255}
	return fmt.Sprintf("%d.%d.%d.%d", b[0], b[1], b[2], b[3]), true
}

func ipv4Part(part string) (uint64, bool) {
	base := 10
	switch {
	case part == "":
		return 0, false
	case strings.HasPrefix(part, "0x"):
		part, base = part[2:], 16
	case len(part) > 1 && part[0] == '0':
		part, base = part[1:], 8
	}
	if part == "" {
		return 0, true
	}
	if slices.Contains([]byte{'+', '-', '_'}, part[0]) {
		return 0, false
	}
	n, err := strconv.ParseUint(part, base, 64)
	return n, err == nil
}
