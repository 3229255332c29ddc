package netguard

import (
	"net/netip"
	"net/url"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard/forbidden"
	"github.com/helve-dev/helve/tool"
)

var public = []string{
	"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "168.63.129.15", "172.15.0.1", "172.32.0.1",
	"192.167.0.1", "192.169.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.1", "2606:4700::1111", "2a00:1450:4001::200e",
	"2001:4860:4860::8888",
}

func TestCheckAddr(t *testing.T) {
	g := open(t, Options{})
	for _, addr := range forbidden.Addresses() {
		if err := g.checkAddr("x", netip.AddrPortFrom(netip.MustParseAddr(addr), 443)); err == nil {
			t.Errorf("checkAddr(%s) = nil, want a refusal", addr)
		}
	}
	for _, addr := range public {
		for _, port := range []uint16{80, 443, 8080, 50001} {
			if err := g.checkAddr("x", netip.AddrPortFrom(netip.MustParseAddr(addr), port)); err != nil {
				t.Errorf("checkAddr(%s port %d) = %v, want nil", addr, port, err)
			}
		}
		for _, c := range closedPorts {
			if err := g.checkAddr("x", netip.AddrPortFrom(netip.MustParseAddr(addr), c.port)); err == nil {
				t.Errorf("checkAddr(%s port %d) = nil, want a refusal", addr, c.port)
			}
		}
	}
}

func TestDoRefusesAddresses(t *testing.T) {
	g := open(t, Options{})
	for _, addr := range forbidden.Addresses() {
		if a := netip.MustParseAddr(addr); a.Is6() {
			addr = "[" + addr + "]"
		}
		_, err := get(t, g, "http://"+addr+"/path")
		wantError(t, addr, err, tool.PermissionDenied, "Access denied: the host ")
		wantError(t, addr, err, tool.PermissionDenied, " is a blocked internal address")
	}
}

func TestDoRefusesSpellings(t *testing.T) {
	g := open(t, Options{})
	for _, host := range forbidden.Spellings() {
		_, err := get(t, g, "http://"+host+"/")
		wantError(t, host, err, tool.PermissionDenied, "blocked internal address")
	}
}

func TestDoRefusesPorts(t *testing.T) {
	g := open(t, Options{Resolver: nameServer(t, func(string, int) []netip.Addr {
		t.Error("a closed port was looked up")
		return nil
	})})
	for _, at := range forbidden.Ports() {
		_, err := get(t, g, "https://"+at)
		wantError(t, at, err, tool.PermissionDenied, "is blocked, because it is that of")
	}
}

func TestDoRefusesURLs(t *testing.T) {
	g := open(t, Options{})
	for _, raw := range forbidden.URLs() {
		u, err := url.Parse(raw)
		if err != nil {
			continue // refused even earlier
		}
		req := request(t, "http://example.com")
		req.URL, req.Host = u, u.Host
		_, err = send(t, g, req)
		wantError(t, raw, err, tool.ValidationError, "the URL")
	}
}
