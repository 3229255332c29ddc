package desktop

import (
	"io"
	"net"
)

// relay leads every connection to the socket at path.
func relay(listener net.Listener, path string) {
	for {
		from, err := listener.Accept()
		if err != nil {
			return
		}
		to, err := (&net.Dialer{}).Dial("unix", path)
		if err != nil {
			_ = from.Close()
			continue
		}
		go func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}()
		go func() {
			_, _ = io.Copy(from, to)
			_ = from.Close()
		}()
	}
}
