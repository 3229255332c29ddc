package identity

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// resolveTime bounds how long a host name may take to resolve.
const resolveTime = 5 * time.Second

// Guard refuses to listen on addr, HOST:PORT, where others than this machine
// can reach it, unless authentication is on. No host means every address. A name
// counts as loopback if all it resolves to does. The error says what to
// configure.
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
