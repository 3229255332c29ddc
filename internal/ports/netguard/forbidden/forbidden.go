// Package forbidden lists addresses that no tool may request, for tests: every tool that
// takes a URL is tested with all of them.
//
// It promises an address of each range that is not the public internet, the spellings by
// which filters were passed, ports of services that are not HTTP, and URLs that are no
// requests. Every list is a new one.
package forbidden

import (
	"net/netip"
	"strconv"

	"github.com/helve-dev/helve/tool"
)

// Addresses returns an address of every range that is not the public internet.
func Addresses() []string {
	return []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.9.9.9",
		"168.63.129.16", "169.254.169.254", "169.254.1.1", "172.16.0.1", "172.23.0.1", "172.31.255.255", "192.0.0.1",
		"192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
		"203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1",
		"100::1", "2001::1", "2001:0:7f00:1::", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1",
		"5f00::1", "fc00::1", "fd00:ec2::254", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
	}
}

// Spellings returns hosts that some programs read as an internal address.
func Spellings() []string {
	return []string{
		"localhost", "LOCALHOST", "localhost.", "LocalHost.", "a.localhost", "localhost:8080",
		"2130706433", "017700000001", "0x7f000001", "0x7f.1", "0X7F.1", "0177.0.0.1", "0x7f.0x0.0x0.0x1", "127.1", "127.0.1", "127.0.0.1.",
		"127.0.0.01", "1.2.3.256", "a.b.0x", "[fe80::1%25eth0]", "１２７.0.0.1", "127。0。0。1", "ⓛocalhost", "①②⑦.0.0.1",
	}
}

// Loopback returns URLs that lead to a port of this machine, as it is spelled by those who
// want to pass a filter.
func Loopback(port int) []string {
	at := ":" + strconv.Itoa(port)
	urls := []string{
		"http://127.0.0.1" + at + "/", "http://[::ffff:127.0.0.1]" + at + "/", "http://[::1]" + at + "/", "http://[::]" + at + "/",
		"http://0.0.0.0" + at + "/", "http://localhost" + at + "/", "http://LOCALHOST." + at + "/", "http://x.localhost" + at + "/",
		"http://2130706433" + at + "/", "http://0x7f000001" + at + "/", "http://0177.0.0.1" + at + "/", "http://127.1" + at + "/",
		"http://127.0.0.1." + at + "/", "http://１２７.0.0.1" + at + "/", "http://127.9.9.9" + at + "/", "https://127.0.0.1" + at + "/",
		"HTTP://127.0.0.1" + at + "/",
	}
	return urls
}

// Ports returns hosts with ports of services that are not HTTP.
func Ports() []string {
	return []string{"mail.example:25", "ssh.example:22", "1.1.1.1:6379", "db.example:5432", "nats.example:4222"}
}

// URLs returns URLs that are no requests over HTTP.
func URLs() []string {
	return []string{
		"file:///etc/passwd", "ftp://files.internal", "gopher://x", "not-a-url", "//example.com", "http:///path", "http://:80/",
		"javascript:alert(1)", "data:text/html,x", "http://admin@example.com", "http://user:pass@example.com", "http://@example.com",
		"http://example.com:0/", "http://example.com:65536/", "http://a b.example/", "http:opaque",
	}
}

// Case is a URL, and the kind of error in which a request to it ends.
type Case struct {
	URL  string
	Kind tool.Kind
}

// All returns all lists as cases, with the URLs of a loopback port.
func All(port int) []Case {
	var all []Case
	for _, addr := range Addresses() {
		if netip.MustParseAddr(addr).Is6() {
			addr = "[" + addr + "]"
		}
		all = append(all, Case{"http://" + addr + "/latest/meta-data/", tool.PermissionDenied})
	}
	for _, host := range Spellings() {
		all = append(all, Case{"http://" + host + "/", tool.PermissionDenied})
	}
	for _, url := range Loopback(port) {
		all = append(all, Case{url, tool.PermissionDenied})
	}
	for _, at := range Ports() {
		all = append(all, Case{"https://" + at + "/", tool.PermissionDenied})
	}
	for _, url := range URLs() {
		all = append(all, Case{url, tool.ValidationError})
	}
	return all
}
