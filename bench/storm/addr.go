package storm

import (
	"crypto/rand"
	"fmt"
	"net"
	"runtime"
)

// FreeAddrs returns addresses on which nothing listens, for servers that are killed and started
// again. A free port of 127.0.0.1 is a moment later perhaps the local end of somebody's
// connection; where all of 127.0.0.0/8 is local, each address has a host of its own.
func FreeAddrs(n int) (addrs []string, err error) {
	for range n {
		host := "127.0.0.1"
		if runtime.GOOS == "linux" {
			var b [3]byte
			_, _ = rand.Read(b[:]) // never fails
			host = fmt.Sprintf("127.%d.%d.%d", 1+b[0]%254, b[1], 1+b[2]%254)
		}
		l, err := net.Listen("tcp", host+":0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}
