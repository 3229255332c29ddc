package identity

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// resolveTime bounds the resolution of a host name.
const resolveTime = 5 * time.Second

// Guard refuses to listen on addr, HOST:PORT, if other machines can reach it, unless
// authentication is on. No host means every address. A name counts as loopback if all
// its addresses do. The error names the settings to change.
func Guard(addr string, on bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("the address %.100q is not HOST:PORT", addr)
	}
	if on || loopback(host) {
		return nil
	}
	return fmt.Errorf("%s can be reached from other machines, and no caller would have to say who it is: "+
		"set auth.keys_file (`helve auth key` makes entries) or auth.issuer, or listen on 127.0.0.1", addr)
}

// Loopback reports whether only this machine can reach addr, HOST:PORT, by the rules of
// Guard.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && loopback(host)
}

func loopback(host string) bool {
	if host == "" {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback()
	}
	ctx, cancel := context.WithTimeout(context.Background(), resolveTime)
	defer cancel()
	ips, err := new(net.Resolver).LookupNetIP(ctx, "ip", host)
	for _, ip := range ips {
		if !ip.IsLoopback() {
			return false
		}
	}
	return err == nil && len(ips) > 0
}
