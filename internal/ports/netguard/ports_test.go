package netguard

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestClosedPortsTable checks that the table is in order, and that each entry names
// its service and where the port is from.
func TestClosedPortsTable(t *testing.T) {
	if !slices.IsSortedFunc(closedPorts, func(a, b servicePort) int { return int(a.port) - int(b.port) }) {
		t.Error("the table is not in order")
	}
	for i, c := range closedPorts {
		registered := strings.HasPrefix(c.source, "IANA ") && len(c.source) > len("IANA ")
		page, err := url.Parse("https://" + c.source)
		if c.service == "" || !registered && (err != nil || !strings.Contains(page.Host, ".")) {
			t.Errorf("port %d is closed for %q by %q", c.port, c.service, c.source)
		}
		if i > 0 && closedPorts[i-1].port == c.port {
			t.Errorf("port %d is there twice", c.port)
		}
	}
	for _, port := range []uint16{80, 443, 3000, 5000, 8000, 8080, 8443, 9000, 9090} {
		if service := closedFor(port); service != "" {
			t.Errorf("port %d, which web servers use, is closed for %s", port, service)
		}
	}
}

// TestPortsOfServices holds the table against services that a model must not reach: databases,
// queues, caches, what manages a machine or a cluster, and the ports that browsers block
// (fetch.spec.whatwg.org, port blocking).
func TestPortsOfServices(t *testing.T) {
	for service, ports := range map[string][]uint16{
		"databases": {
			1433, 1521, 1526, 1527, 2424, 2638, 3050, 3301, 3306, 5432, 5433, 5439, 5984, 6432, 7474, 7687, 8086, 8123, 8529, 9042, 9306, 9669,
			16000, 26257, 27017, 28015, 33060, 50000,
		},
		"caches": {6379, 6380, 10800, 11211, 26379, 5701},
		"queues": {
			1414, 1801, 1883, 4150, 4151, 4160, 4161, 4222, 4730, 5445, 5671, 5672, 6650, 6651, 8161, 9092, 9094, 9876, 10911, 11300, 15672, 55555,
			61613, 61616,
		},
		"management": {
			623, 2375, 2376, 2379, 4194, 4444, 4646, 4848, 5985, 6066, 6082, 6443, 8009, 8200, 8265, 8500, 8998, 9644, 9990, 9999, 10250, 35357,
		},
		"browsers": {
			1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117,
			119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
			989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
		},
	} {
		for _, port := range ports {
			if closedFor(port) == "" {
				t.Errorf("port %d of %s is open", port, service)
			}
		}
	}
}

// TestEveryClosedPort checks, for each port of the table, that it is refused by name,
// by address and where a name turns out to lead there, and that --allow-host opens it
// for one host and one port.
func TestEveryClosedPort(t *testing.T) {
	shut := open(t, Options{})
	for _, c := range closedPorts {
		at := func(host string) *url.URL { return &url.URL{Scheme: "http", Host: fmt.Sprintf("%s:%d", host, c.port)} }
		to := netip.AddrPortFrom(netip.MustParseAddr("1.1.1.1"), c.port)
		for _, host := range []string{"name.example", "1.1.1.1", "[2606:4700::1111]"} {
			if err := checkURL(shut, at(host)); err == nil {
				t.Errorf("%s:%d is open", host, c.port)
			}
		}
		if err := shut.checkAddr("name.example", to); err == nil {
			t.Errorf("a name that leads to port %d is open", c.port)
		}
		for _, host := range []string{"name.example", "1.1.1.1"} {
			g := open(t, Options{Allow: []string{fmt.Sprintf("%s:%d", host, c.port)}})
			if err := checkURL(g, at(host)); err != nil {
				t.Errorf("%s:%d was allowed, and check = %v", host, c.port, err)
			}
			if err := g.checkAddr("1.1.1.1", to); (err == nil) != (host == "1.1.1.1") {
				t.Errorf("%s:%d was allowed, and its address is judged %v", host, c.port, err)
			}
			// The name may be looked up, because it may lead to what is allowed.
			if err := g.checkAddr("other.example", netip.AddrPortFrom(netip.MustParseAddr("1.0.0.1"), c.port)); err == nil {
				t.Errorf("%s:%d was allowed, and another host's is open", host, c.port)
			}
			if err := checkURL(g, at("1.0.0.1")); err == nil {
				t.Errorf("%s:%d was allowed, and 1.0.0.1:%d is open", host, c.port, c.port)
			}
			other := closedPorts[0].port
			if other == c.port {
				other = closedPorts[1].port
			}
			if err := checkURL(g, &url.URL{Scheme: "http", Host: fmt.Sprintf("%s:%d", host, other)}); err == nil {
				t.Errorf("%s:%d was allowed, and port %d is open", host, c.port, other)
			}
		}
	}
}

// TestClosedPortIsNamed checks what a model is told of a closed port.
func TestClosedPortIsNamed(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://name.example:2375/containers/json", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := open(t, Options{}).Do(req)
	if err == nil {
		resp.Body.Close()
	}
	const want = "Access denied: port 2375 of name.example is blocked, because it is that of Docker; use another port, or ask the operator " +
		"to open it with --allow-host name.example:2375"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Do = %v, want %s", err, want)
	}
}
