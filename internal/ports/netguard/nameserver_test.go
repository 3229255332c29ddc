package netguard

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer is a resolver that asks a DNS server in this process. The server
// answers the nth question (from 0) for a name's IPv4 address with answer's
// result; no result means there is no such name.
func nameServer(t *testing.T, answer func(name string, n int) []netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	go func() {
		defer close(done)
		asked := map[string]int{}
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return // closed
			}
			if reply, ok := dnsReply(buf[:n], asked, answer); ok {
				if _, err := conn.WriteTo(reply, from); err != nil {
					return
				}
			}
		}
	}()
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
		},
	}
}

func dnsReply(query []byte, asked map[string]int, answer func(string, int) []netip.Addr) ([]byte, bool) {
	var msg dnsmessage.Message
	if err := msg.Unpack(query); err != nil || len(msg.Questions) != 1 {
		return nil, false
	}
	q := msg.Questions[0]
	msg.Response, msg.RecursionAvailable, msg.Additionals = true, true, nil
	name := strings.TrimSuffix(q.Name.String(), ".")
	if q.Type == dnsmessage.TypeA {
		for _, addr := range answer(name, asked[name]) {
			msg.Answers = append(msg.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: addr.As4()},
			})
		}
		asked[name]++
		if len(msg.Answers) == 0 {
			msg.RCode = dnsmessage.RCodeNameError
		}
	}
	reply, err := msg.Pack()
	return reply, err == nil
}
