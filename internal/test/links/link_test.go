package links

import (
	"io"
	"net"
	"testing"
	"time"
)

// TestLink passes bytes on, late while it is slow, not at all while it is cut, and again
// after that.
func TestLink(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = echo.Close() })
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			}()
		}
	}()
	link, err := NewLink(echo.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := link.Close(); err != nil {
			t.Error(err)
		}
	})
	dial := func() net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", link.Addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	answered := func(c net.Conn, patience time.Duration) bool {
		t.Helper()
		if _, err := c.Write([]byte("x")); err != nil {
			return false
		}
		if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		_, err := io.ReadFull(c, make([]byte, 1))
		return err == nil
	}
	const long, slow = time.Minute, 200 * time.Millisecond
	c := dial()
	if !answered(c, long) {
		t.Fatal("the link passes nothing on")
	}
	link.Slow(slow)
	if began := time.Now(); !answered(c, long) || time.Since(began) < 2*slow {
		t.Errorf("the slow link took %v, want %v or longer", time.Since(began), 2*slow)
	}
	link.Cut()
	if answered(c, 100*time.Millisecond) {
		t.Error("the link passes bytes on while it is cut")
	}
	link.Mend()
	if !answered(dial(), long) {
		t.Error("the link passes nothing on after it was mended")
	}
}
