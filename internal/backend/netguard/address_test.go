package netguard

import (
	"net/netip"
	"net/url"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// internal lists an address of every range that is not the public internet.
var internal = []string{
	"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.9.9.9",
	"168.63.129.16", "169.254.169.254", "169.254.1.1", "172.16.0.1", "172.23.0.1", "172.31.255.255", "192.0.0.1",
	"192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
	"203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
	"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1",
	"100::1", "2001::1", "2001:0:7f00:1::", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1",
	"5f00::1", "fc00::1", "fd00:ec2::254", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
}

var public = []string{
	"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "168.63.129.15", "172.15.0.1", "172.32.0.1",
	"192.167.0.1", "192.169.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.1", "2606:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888",
}

func TestCheckAddr(t *testing.T) {
	g := open(t, Options{})
	for _, addr := range internal {
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
	for _, addr := range internal {
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
	for _, host := range []string{
		"localhost", "LOCALHOST", "localhost.", "LocalHost.", "a.localhost", "localhost:8080",
		"2130706433", "017700000001", "0x7f000001", "0x7f.1", "0X7F.1", "0177.0.0.1", "0x7f.0x0.0x0.0x1", "127.1", "127.0.1", "127.0.0.1.",
		"127.0.0.01", "1.2.3.256", "a.b.0x", "[fe80::1%25eth0]", "１２７.0.0.1", "127。0。0。1", "ⓛocalhost", "①②⑦.0.0.1",
	} {
		_, err := get(t, g, "http://"+host+"/")
		wantError(t, host, err, tool.PermissionDenied, "blocked internal address")
	}
}

func TestDoRefusesPorts(t *testing.T) {
	g := open(t, Options{Resolver: nameServer(t, func(string, int) []netip.Addr {
		t.Error("a closed port was looked up")
		return nil
	})})
	for _, at := range []string{"mail.example:25", "ssh.example:22", "1.1.1.1:6379", "db.example:5432", "nats.example:4222"} {
		_, err := get(t, g, "https://"+at)
		wantError(t, at, err, tool.PermissionDenied, "is blocked, because it is that of")
	}
}

func TestDoRefusesURLs(t *testing.T) {
	g := open(t, Options{})
	for _, raw := range []string{
		"file:///etc/passwd", "ftp://files.internal", "gopher://x", "not-a-url", "//example.com", "http:///path", "http://:80/",
		"http://admin@example.com", "http://user:pass@example.com", "http://@example.com", "http://example.com:0/", "http://example.com:65536/", "http://a b.example/", "http:opaque",
	} {
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
